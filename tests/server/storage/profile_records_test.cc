#include <gtest/gtest.h>

#include <limits>

#include "common/json/domain_json.h"
#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "server/storage/sample_codec.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/example_profile.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

class ProfileRecordsTest : public testing::Test {
 protected:
  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = Database::Open(folder_ / "mlprof.db").value();
  ProfileRepository profiles_{*database_};
  const std::string id_ = profiles_.Create(ExampleProfile("p"), {}, false).value().profile.id;
};

Series ExampleSeries() {
  return {"memoryInBytes", "bytes", "agent", {{std::chrono::milliseconds(10), 4096}}};
}

TEST_F(ProfileRecordsTest, KeepsTrialsByTheirNumber) {
  Trial trial;
  trial.number = 2;
  trial.purpose = TrialPurpose::kLoad;
  trial.limits = {Cores(0.5), MiB(256)};
  trial.verdict = "p95 was 20 ms";
  trial.measurements.latency_p95_ms = 20.5;
  ASSERT_TRUE(profiles_.AddTrial(id_, trial));
  EXPECT_EQ(profiles_.AddTrial(id_, trial).error().code(), ErrorCode::kConflict);
  trial.number = 1;
  ASSERT_TRUE(profiles_.AddTrial(id_, trial));
  const auto trials = profiles_.Trials(id_);
  ASSERT_TRUE(trials) << trials.error().message();
  ASSERT_EQ(trials->size(), 2u);
  EXPECT_EQ(DumpJson(EncodeTrial(trials->front())), DumpJson(EncodeTrial(trial)));
}

TEST_F(ProfileRecordsTest, ReadsTrialsThatAFormerVersionStoredWithTheirLatencies) {
  Trial trial;
  trial.number = 1;
  ASSERT_TRUE(profiles_.AddTrial(id_, trial));
  const Bytes without = profiles_.SizeOf(id_).value();
  ASSERT_TRUE(database_->Write([](Connection& connection) {
    return connection.Execute(R"sql(
      UPDATE profile_trials SET latencies_us = x'0100000002000000',
        checksum = row_checksum(profile_id, number, document, x'0100000002000000'))sql");
  }));
  const auto trials = profiles_.Trials(id_);
  ASSERT_TRUE(trials) << trials.error().message();
  EXPECT_EQ(trials->size(), 1u);
  EXPECT_EQ(profiles_.SizeOf(id_).value(), without + Bytes(8));
}

TEST_F(ProfileRecordsTest, RefusesRecordsOfAnUnknownProfile) {
  EXPECT_EQ(profiles_.AddTrial("unknown", Trial{}).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(profiles_.AppendLog("unknown", "x").error().code(), ErrorCode::kNotFound);
}

TEST(RecordCodecTest, RefusesBytesThatAreNoRecords) { EXPECT_FALSE(DecodeRowRecords("\x03")); }

TEST(RecordCodecTest, ReadsRecordsFromBeforeThereWereFirstVisits) {
  // Row 3 of 5 bytes, replayed twice, status 1, no medians, no peak: integers are zigzag.
  const auto rows = DecodeRowRecords(std::string_view("\x01\x06\x0a\x04\x02\0\0\0\0", 9));
  ASSERT_TRUE(rows) << rows.error().message();
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->at(0).row, 3);
  EXPECT_EQ(rows->at(0).size, Bytes(5));
  EXPECT_FALSE(rows->at(0).first_latency_ms);
}

TEST_F(ProfileRecordsTest, KeepsRowsInPlaceOfFormerOnes) {
  RowRecord full{.row = 3,
                 .size = Bytes(10),
                 .replays = 2,
                 .status = 200,
                 .latency_ms = 1.5,
                 .service_time_ms = 1.25,
                 .cpu_ms = 0.5,
                 .peak_memory = MiB(3),
                 .first_latency_ms = 301.5,
                 .first_cpu_ms = 300};
  RowRecord bare{.row = 4,
                 .size = Bytes(0),
                 .replays = 0,
                 .status = 0,
                 .latency_ms = {},
                 .service_time_ms = {},
                 .cpu_ms = {},
                 .peak_memory = {},
                 .first_latency_ms = {},
                 .first_cpu_ms = {}};
  ASSERT_TRUE(profiles_.SaveRows(id_, std::vector{bare}));
  ASSERT_TRUE(profiles_.SaveRows(id_, std::vector{full, bare}));
  const auto rows = profiles_.Rows(id_);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ(DumpJson(EncodeRowRecord(rows->at(0))), DumpJson(EncodeRowRecord(full)));
  EXPECT_EQ(rows->at(0).peak_memory, MiB(3));
  EXPECT_EQ(rows->at(0).first_cpu_ms, 300);
  EXPECT_FALSE(rows->at(1).latency_ms);
  EXPECT_TRUE(profiles_.Rows("unknown")->empty());
}

TEST_F(ProfileRecordsTest, KeepsTheLogsLast4MiB) {
  ASSERT_TRUE(profiles_.AppendLog(id_, "first line\n"));
  ASSERT_TRUE(profiles_.AppendLog(id_, "second \xff line\n"));
  EXPECT_EQ(profiles_.Log(id_).value(), "first line\nsecond \xff line\n");
  const std::string part(300'000, 'x');
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(profiles_.AppendLog(id_, part));
  ASSERT_TRUE(profiles_.AppendLog(id_, "the end"));
  const std::string log = profiles_.Log(id_).value();
  EXPECT_EQ(log.size(), std::size_t{4 << 20});
  EXPECT_TRUE(log.ends_with("the end"));
  ASSERT_TRUE(profiles_.AppendLog(id_, std::string(5 << 20, 'y')));
  EXPECT_EQ(profiles_.Log(id_)->find_first_not_of('y'), std::string::npos);
}

TEST_F(ProfileRecordsTest, GivesTheEventsAfterAnId) {
  for (const std::int64_t n : {3, 5, 9}) {
    ASSERT_TRUE(profiles_.AddEvent(id_, {n, "phase", DumpJson({{"n", n}})}));
  }
  EXPECT_EQ(profiles_.AddEvent(id_, {9, "phase", "{}"}).error().code(), ErrorCode::kConflict);
  const auto events = profiles_.EventsAfter(id_, 3);
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ(events->front().id, 5);
  EXPECT_EQ(events->back().data, R"({"n":9})");
  EXPECT_TRUE(profiles_.EventsAfter(id_, 9)->empty());
}

TEST_F(ProfileRecordsTest, GivesEventsInPagesOfBoundedCountAndBytes) {
  for (std::int64_t n = 1; n <= 5; ++n) {
    ASSERT_TRUE(profiles_.AddEvent(id_, {n, "log", std::string(100, 'x')}));
  }
  const auto ids = [&](std::int64_t after, const EventLimit& limit) {
    std::vector<std::int64_t> found;
    const auto events = profiles_.EventsAfter(id_, after, limit).value();
    for (const StoredEvent& event : events) found.push_back(event.id);
    return found;
  };
  EXPECT_EQ(ids(1, {.count = 2}), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(ids(1, {.bytes = Bytes(300)}), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(ids(1, {.bytes = Bytes(299)}), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(ids(1, {.bytes = Bytes(1)}), (std::vector<std::int64_t>{2}));
}

TEST_F(ProfileRecordsTest, KnowsTheNewestEvent) {
  EXPECT_FALSE(profiles_.NewestEvent(id_).value());
  ASSERT_TRUE(profiles_.AddEvent(id_, {4, "phase", "{}"}));
  ASSERT_TRUE(profiles_.AddEvent(id_, {7, "done", "{}"}));
  EXPECT_EQ(profiles_.NewestEvent(id_).value()->id, 7);
  EXPECT_EQ(profiles_.NewestEvent(id_).value()->type, "done");
}

TEST_F(ProfileRecordsTest, SaysThatAnEventOfBeforeTheChecksumsIsNoJson) {
  ASSERT_TRUE(profiles_.AddEvent(id_, {1, "phase", "{}"}));
  const auto set = [&](const char* sql) {
    ASSERT_TRUE(database_->Write([&](Connection& connection) { return connection.Execute(sql); }));
  };
  set("UPDATE profile_events SET checksum = NULL");
  EXPECT_EQ(profiles_.EventsAfter(id_, 0)->size(), 1u);
  set("UPDATE profile_events SET data = '{'");
  EXPECT_FALSE(profiles_.EventsAfter(id_, 0));
}

TEST_F(ProfileRecordsTest, DropsOldLogEventsButNoOthers) {
  ASSERT_TRUE(profiles_.AddEvent(id_, {1, "phase", "{}"}));
  ASSERT_TRUE(profiles_.AddEvent(id_, {2, "log", "{}"}));
  ASSERT_TRUE(profiles_.AddEvent(id_, {30'000, "log", "{}"}));
  const auto events = profiles_.EventsAfter(id_, 0);
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ(events->front().type, "phase");
}

TEST_F(ProfileRecordsTest, ClearsWhatWasMeasuredButKeepsTheEvents) {
  ASSERT_TRUE(profiles_.AddTrial(id_, Trial{}));
  ASSERT_TRUE(profiles_.AddSeries(id_, std::vector{ExampleSeries()}));
  ASSERT_TRUE(profiles_.SaveRows(id_, std::vector{RowRecord{}}));
  ASSERT_TRUE(profiles_.AppendLog(id_, "text"));
  ASSERT_TRUE(profiles_.AddEvent(id_, {1, "phase", "{}"}));
  ASSERT_TRUE(profiles_.ClearMeasured(id_));
  EXPECT_TRUE(profiles_.Trials(id_)->empty());
  EXPECT_TRUE(profiles_.SeriesParts(id_)->empty());
  EXPECT_TRUE(profiles_.Rows(id_)->empty());
  EXPECT_EQ(profiles_.Log(id_).value(), "");
  EXPECT_EQ(profiles_.EventsAfter(id_, 0)->size(), 1u);
}

// A value that changed behind the server's back, which SQLite's own check passes.
TEST_F(ProfileRecordsTest, SaysThatWhatWasMeasuredIsDamaged) {
  Trial trial;
  trial.number = 1;
  ASSERT_TRUE(profiles_.AddTrial(id_, trial));
  ASSERT_TRUE(profiles_.AddSeries(id_, std::vector{ExampleSeries()}));
  ASSERT_TRUE(profiles_.SaveRows(id_, std::vector<RowRecord>(1)));
  ASSERT_TRUE(profiles_.AddEvent(id_, {1, "done", "{}"}));
  EXPECT_TRUE(profiles_.Trials(id_) && profiles_.SeriesParts(id_) && profiles_.Rows(id_) &&
              profiles_.EventsAfter(id_, 0));
  ASSERT_TRUE(database_->Write([](Connection& connection) {
    return connection.Execute(R"sql(
      UPDATE profile_trials SET document = replace(document, '"verdict":""', '"verdict":"x"');
      UPDATE profile_series SET unit = 'cores';
      UPDATE profile_rows SET row_count = 2;
      UPDATE profile_events SET data = '{"a":1}')sql");
  }));
  const std::pair<std::string, std::string> told[] = {
      {MessageOf(profiles_.Trials(id_)), "a trial"},
      {MessageOf(profiles_.SeriesParts(id_)), "a series"},
      {MessageOf(profiles_.Rows(id_)), "the rows"},
      {MessageOf(profiles_.EventsAfter(id_, 0)), "an event"},
  };
  for (const auto& [message, what] : told) {
    EXPECT_EQ(message.find("the row of " + what + " of the profile " + id_), 0u)
        << what << ": " << message;
  }
  database_.reset();
  EXPECT_TRUE(Database::Open(folder_ / "mlprof.db"));
}

}  // namespace
}  // namespace mlprof::server
