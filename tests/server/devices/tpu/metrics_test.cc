// What libtpu's metric service is asked, and what is read of its answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "server/devices/profiler/field_writer.h"
#include "server/devices/tpu/chip_figures.h"
#include "server/devices/tpu/metric_client.h"
#include "tests/fakes/fake_metric_service.h"

namespace mlprof::server::tpu {
namespace {

using fakes::FakeMetricService;
using profiler::FieldWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Deadline kSoon = Deadline::After(std::chrono::seconds(20));

// A connection whose other end is a function.
class FunctionStream final : public PortStream {
 public:
  explicit FunctionStream(FakeMetricService::Connection other) : other_(std::move(other)) {}
  Result<std::string> Read(Deadline) override {
    if (heard_.empty() && broken_) return Fail(Unavailable("the link is over"));
    return std::exchange(heard_, {});  // "" where nothing is left: its end
  }
  Status Write(std::string_view bytes, Deadline) override {
    heard_ += other_(bytes);
    return {};
  }
  void CloseWrite() override {}
  void Close() override {}
  bool broken_ = false;

 private:
  const FakeMetricService::Connection other_;
  std::string heard_;
};

class MetricClientTest : public ::testing::Test {
 protected:
  Result<std::vector<MetricValue>> Ask(std::string_view metric) {
    MetricClient client([this](Deadline) -> Result<std::unique_ptr<PortStream>> {
      return std::make_unique<FunctionStream>(service_.NewConnection());
    });
    return client.Get(metric, kSoon);
  }
  static Result<std::vector<MetricValue>> AskOne(FakeMetricService::Connection other) {
    MetricClient client([&](Deadline) -> Result<std::unique_ptr<PortStream>> {
      return std::make_unique<FunctionStream>(other);
    });
    return client.Get(metrics::kMemoryUsage, kSoon);
  }
  FakeMetricService service_;
};

TEST_F(MetricClientTest, ReadsWholeNumbersAndSharesByDevice) {
  service_.Say(std::string(metrics::kMemoryUsage),
               {{1, std::int64_t{5'000'000'000}}, {0, std::int64_t{0}}});
  service_.Say(std::string(metrics::kDutyCycle), {{0, 62.5}});
  const auto memory = Ask(metrics::kMemoryUsage);
  ASSERT_TRUE(memory) << memory.error().message();
  EXPECT_THAT(*memory, ElementsAre(MetricValue{0, 0.0}, MetricValue{1, 5e9}));
  EXPECT_THAT(*Ask(metrics::kDutyCycle), ElementsAre(MetricValue{0, 62.5}));
}

TEST_F(MetricClientTest, ReadsADeviceThatStandsInAListOfAttributes) {
  service_.Say(std::string(metrics::kQueue),
               {{3, std::int64_t{7}, true}, {2, std::int64_t{1}, true}});
  EXPECT_THAT(*Ask(metrics::kQueue), ElementsAre(MetricValue{2, 1.0}, MetricValue{3, 7.0}));
}

TEST_F(MetricClientTest, TellsAMetricThatIsNotThereFromAServiceThatFails) {
  EXPECT_EQ(Ask(metrics::kBandwidth).error().code(), ErrorCode::kNotFound);
  service_.FailWith(12);
  EXPECT_EQ(Ask(metrics::kBandwidth).error().code(), ErrorCode::kNotFound);
  service_.FailWith(14);
  EXPECT_EQ(Ask(metrics::kBandwidth).error().code(), ErrorCode::kUnavailable);
  service_.FailWith(2);
  EXPECT_EQ(Ask(metrics::kBandwidth).error().code(), ErrorCode::kInternal);
}

TEST_F(MetricClientTest, TellsWhatIsNoMetricServiceFromOneThatHangsUp) {
  const auto http1 = AskOne([](std::string_view) { return "HTTP/1.1 400 Bad Request\r\n\r\n"; });
  ASSERT_FALSE(http1);
  EXPECT_EQ(http1.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(http1.error().message(), HasSubstr("does not speak gRPC"));
  const auto closed = AskOne([](std::string_view) { return ""; });
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code(), ErrorCode::kUnavailable);
}

TEST_F(MetricClientTest, SaysWhyThePortIsNotReached) {
  MetricClient client([](Deadline) -> Result<std::unique_ptr<PortStream>> {
    return Fail(Unavailable("nothing listens on port 8431"));
  });
  const auto none = client.Get(metrics::kMemoryUsage, kSoon);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message(), HasSubstr("nothing listens"));
}

TEST(MetricMessagesTest, OfOtherVersionsAreReadAsFarAsTheyAreKnown) {
  FieldWriter gauge;
  gauge.Number(2, 9);
  FieldWriter metric;
  metric.Bytes(3, gauge.message());
  metric.Bytes(99, "what is new");
  FieldWriter summary;
  summary.Bytes(6, "");
  FieldWriter all;
  all.Bytes(1, "name");
  all.Bytes(3, metric.message());
  all.Bytes(3, summary.message());  // no number of one moment
  FieldWriter response;
  response.Bytes(1, all.message());
  const auto values = ReadMetricResponse(response.message());
  ASSERT_TRUE(values);
  EXPECT_THAT(*values, ElementsAre(MetricValue{0, 9.0}));
  EXPECT_THAT(*ReadMetricResponse(""), IsEmpty());
}

TEST_F(MetricClientTest, RefusesNumbersThatNoChipCanHave) {
  for (const double impossible : {-1.0, 1e300, std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()}) {
    service_.Say(std::string(metrics::kDutyCycle), {{0, impossible}});
    const auto values = Ask(metrics::kDutyCycle);
    ASSERT_FALSE(values) << impossible;
    EXPECT_THAT(values.error().message(), HasSubstr("numbers that no chip can have"));
  }
}

TEST(MetricMessagesTest, ThatAreDamagedAreRefused) {
  const std::string broken("\x0a\x7f\x01", 3);
  EXPECT_FALSE(ReadMetricResponse(broken));
  FieldWriter nested;
  nested.Bytes(3, broken);
  FieldWriter response;
  response.Bytes(1, nested.message());
  EXPECT_FALSE(ReadMetricResponse(response.message()));
}

TEST(MetricMessagesTest, ListsWithinListsAreNotFollowed) {
  std::string value;
  for (int depth = 0; depth < 2000; ++depth) {
    FieldWriter attribute;
    attribute.Bytes(2, value);
    FieldWriter list;
    list.Bytes(1, attribute.message());
    FieldWriter outer;
    outer.Bytes(6, list.message());
    value = outer.message();
  }
  FieldWriter attribute;
  attribute.Bytes(2, value);
  FieldWriter metric;
  metric.Bytes(1, attribute.message());
  FieldWriter all;
  all.Bytes(3, metric.message());
  FieldWriter response;
  response.Bytes(1, all.message());
  EXPECT_TRUE(ReadMetricResponse(response.message()));
}

TEST(ChipFiguresTest, OfCoresAreAddedOrAveraged) {
  const std::vector<MetricValue> cores = {{0, 1}, {1, 2}, {2, 10}, {3, 20}};
  EXPECT_THAT(*SumByChip(cores, 2), ElementsAre(3, 30));
  EXPECT_THAT(*MeanByChip(cores, 2), ElementsAre(1.5, 15));
  EXPECT_THAT(*SumByChip(cores, 4), ElementsAre(1, 2, 10, 20));
}

TEST(ChipFiguresTest, ThatDoNotShareOutAreRefused) {
  const auto three = SumByChip({{0, 1}, {1, 2}, {2, 3}}, 2);
  ASSERT_FALSE(three);
  EXPECT_THAT(three.error().message(), HasSubstr("3 devices"));
  EXPECT_FALSE(SumByChip({}, 1));
}

}  // namespace
}  // namespace mlprof::server::tpu
