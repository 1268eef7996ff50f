// `mlprof capture HOST:PORT`.
#include <gmock/gmock.h>

#include "server/devices/profiler/field_writer.h"
#include "tests/client/cli_fixture.h"
#include "tests/fakes/fake_profiler_server.h"

namespace mlprof::client::cli {
namespace {

using fakes::FakeProfilerServer;
using ::testing::HasSubstr;

class CaptureTest : public CliTest {
 protected:
  CaptureTest() {
    server_->On("POST /captures", 201, R"({"id":"c1"})");
    server_->On("GET /captures/c1/tools/overview_page", 200, R"({"hardware":"CPU",
      "environment":{"deviceType":"CPU","deviceCount":0,"eventCount":3},
      "verdict":{"statement":"It waits.","also":[]}})");
  }
  static std::string Answer() {
    server::profiler::FieldWriter response;
    response.Bytes(8, "a trace");
    return response.message();
  }
  static std::string AddressOf(const FakeProfilerServer& server) {
    return "127.0.0.1:" + std::to_string(server.port());
  }
  static std::string TextOf(const std::filesystem::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
};

TEST_F(CaptureTest, ShowsTheOverviewOfWhatRan) {
  const FakeProfilerServer program({.response = Answer()});
  const Outcome outcome = Run({"capture", AddressOf(program)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("It waits."));
  EXPECT_THAT(outcome.err, HasSubstr("recording " + AddressOf(program)));
  EXPECT_EQ(server_->Asked("POST /captures").size(), 1U);
}

TEST_F(CaptureTest, KeepsTheTraceWhereItIsToldTo) {
  const FakeProfilerServer program({.response = Answer()});
  const auto file = folder_.path() / "new" / "box.xplane.pb";
  ASSERT_EQ(Run({"capture", AddressOf(program), "-t", file}).status, 0);
  EXPECT_EQ(TextOf(file), "a trace");
  const auto logs = folder_.path() / "logs";
  ASSERT_EQ(Run({"capture", AddressOf(program), "-t", logs}).status, 0);
  std::size_t copies = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(logs / "plugins/profile")) {
    copies +=
        entry.path().filename() == "127.0.0.1_" + std::to_string(program.port()) + ".xplane.pb" ? 1
                                                                                                : 0;
  }
  EXPECT_EQ(copies, 1U);
}

TEST_F(CaptureTest, SaysWhyThereIsNoTrace) {
  const FakeProfilerServer busy(
      {.status = "13", .status_message = "Another profiling session active."});
  const Outcome outcome = Run({"capture", AddressOf(busy)});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("another profile runs"));
  EXPECT_TRUE(server_->Asked("POST /captures").empty());
}

TEST_F(CaptureTest, SaysWhatIsWrong) {
  EXPECT_EQ(Run({"capture", "nowhere"}).status, 2);
  EXPECT_THAT(Run({"capture", "nowhere"}).err, HasSubstr("HOST:PORT"));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--tool", "x"},
        {"--duration-ms", "9"},
        {"--duration-seconds", "601"},
        {"--duration-ms", "50", "--duration-seconds", "1"}}) {
    std::vector<std::string> line = {"capture", "127.0.0.1:1"};
    line.insert(line.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(Run(line).status, 2) << wrong[0];
  }
}

}  // namespace
}  // namespace mlprof::client::cli
