// The data directory fails while profiles wait, run and end.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/broken_storage.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;

constexpr const char* kEndsOfRuns = "UPDATE ON profiles";
constexpr const char* kNotYet = "its end could not be recorded yet";

FakeModel SilentModel() {
  FakeModel model;
  *model.silent = true;
  return model;
}

std::int64_t Count(const Profile& profile, const std::string& code) {
  return std::count_if(profile.warnings.begin(), profile.warnings.end(),
                       [&](const Warning& w) { return w.code == code; });
}

std::size_t Lines(const std::string& log, const std::string& words) {
  std::size_t lines = 0;
  for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) {
    ++lines;
  }
  return lines;
}

class LostStorageTest : public testing::Test {
 protected:
  explicit LostStorageTest(FakeModel model = {}) : bench_(std::move(model)) {
    bench_.RegisterInputs(TextRows(20));
  }

  std::string Accept(const std::string& name) {
    const auto created = bench_.service().Create("default", bench_.Request(name, kBudget), {});
    EXPECT_TRUE(created.has_value());
    return created->profile.id;
  }
  Profile Get(const std::string& name) { return *bench_.service().Get("default", name); }

  ProfilingBench bench_;
};

// Its runs go on until they are ended.
class LostStorageUnderARunTest : public LostStorageTest {
 protected:
  LostStorageUnderARunTest() : LostStorageTest(SilentModel()) {}
};

TEST(LostStorageAtTheEndTest, KeepsTheTrueEndUntilItCanBeWritten) {
  std::function<void()> break_storage = [] {};
  FakeModel model;
  model.status = [&](const std::string&) {
    std::exchange(break_storage, [] {})();
    return 404;
  };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  BrokenStorage storage(bench.database_file());
  break_storage = [&] { storage.Break(kEndsOfRuns); };
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  bench.AwaitMessage("p", kNotYet);
  EXPECT_FALSE(IsFinished(bench.service().Get("default", "p")->state));
  EXPECT_FALSE(bench.queue().Health().has_value());
  storage.Mend();
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "RowsFailed");
  bench.AwaitUntil([&] { return bench.queue().Health().has_value(); });
  EXPECT_TRUE(bench.service().Delete("default", "p").has_value());
}

TEST_F(LostStorageUnderARunTest, ACancelIsSettledWhenStorageReturns) {
  const std::string id = Accept("p");
  bench_.AwaitPhase(id, "warmUp");
  BrokenStorage storage(bench_.database_file());
  storage.Break(kEndsOfRuns);
  ASSERT_TRUE(bench_.service().Cancel("default", "p").has_value());
  bench_.AwaitMessage("p", kNotYet);
  EXPECT_FALSE(bench_.service().Delete("default", "p").has_value());
  EXPECT_TRUE(bench_.service().Cancel("default", "p").has_value());
  storage.Mend();
  EXPECT_EQ(bench_.AwaitEnd("p").state, ProfileState::kCanceled);
  EXPECT_TRUE(bench_.service().Delete("default", "p").has_value());
}

TEST_F(LostStorageUnderARunTest, CancelSettlesAProfileThatNobodyRuns) {
  Accept("running");
  Accept("p");
  Profile orphan = Get("p");
  orphan.state = ProfileState::kPreparing;
  ASSERT_TRUE(bench_.profiles().Update(orphan, ProfileState::kQueued).has_value());
  ASSERT_TRUE(bench_.service().Cancel("default", "p").has_value());
  EXPECT_EQ(Get("p").state, ProfileState::kCanceled);
  EXPECT_TRUE(bench_.service().Delete("default", "p").has_value());
}

TEST_F(LostStorageUnderARunTest, CancelOfAWaitingProfileSaysThatItCannotBeWritten) {
  bench_.AwaitPhase(Accept("running"), "warmUp");
  Accept("p");
  BrokenStorage storage(bench_.database_file());
  storage.Break(kEndsOfRuns);
  EXPECT_FALSE(bench_.service().Cancel("default", "p").has_value());
  EXPECT_EQ(Get("p").state, ProfileState::kQueued);
}

// Who saw it finished and its events closed would never be told of the last.
TEST_F(LostStorageUnderARunTest, EventsAreOpenFromBeforeAnEndIsWritten) {
  bench_.AwaitPhase(Accept("running"), "warmUp");
  const std::string id = Accept("p");
  BrokenStorage storage(bench_.database_file());
  storage.Break(kEndsOfRuns);
  EXPECT_FALSE(bench_.events().IsOpen(id));
  EXPECT_FALSE(bench_.service().Cancel("default", "p").has_value());
  EXPECT_TRUE(bench_.events().IsOpen(id));
  storage.Mend();
  EXPECT_TRUE(bench_.service().Cancel("default", "p").has_value());
  EXPECT_FALSE(bench_.events().IsOpen(id));
  EXPECT_EQ(bench_.events().Newest(id).value()->type, "done");
}

TEST_F(LostStorageUnderARunTest, AnOrderlyStopLeavesItToTheNextStart) {
  bench_.AwaitPhase(Accept("p"), "warmUp");
  BrokenStorage storage(bench_.database_file());
  storage.Break(kEndsOfRuns);
  bench_.Restart();
  bench_.AwaitUntil([&] { return !bench_.queue().Health().has_value(); });
  EXPECT_NE(Get("p").state, ProfileState::kQueued);
  storage.Mend();
  bench_.AwaitUntil([&] { return Count(Get("p"), "requeued") == 1; });
}

TEST_F(LostStorageUnderARunTest, APrivateServersRecoveryDoesNotTouchWhatWasMadeMeanwhile) {
  bench_.AwaitPhase(Accept("left"), "warmUp");
  bench_.Close();
  BrokenStorage storage(bench_.database_file());
  storage.Break(kEndsOfRuns);
  bench_.Restart(InterruptedPolicy::kFail);
  const std::string id = Accept("new");
  storage.Mend();
  const Profile left = bench_.AwaitEnd("left");
  ASSERT_EQ(left.state, ProfileState::kFailed);
  EXPECT_EQ(left.error->code, "Interrupted");
  bench_.AwaitPhase(id, "warmUp");
}

TEST_F(LostStorageTest, DoesNotSpinWhereItCannotRead) {
  bench_.waits.storage_first = bench_.waits.storage_most = std::chrono::hours(1);
  bench_.Restart();
  const auto connection = std::move(*Connection::Open(bench_.database_file(), Access::kReadWrite));
  testing::internal::CaptureStderr();
  ASSERT_TRUE(connection->Execute("ALTER TABLE profiles RENAME TO away").has_value());
  for (int i = 0; i < 100; ++i) {
    bench_.queue().Wake();
    bench_.AwaitUntil([&] { return !bench_.queue().Health().has_value(); });
  }
  ASSERT_TRUE(connection->Execute("ALTER TABLE away RENAME TO profiles").has_value());
  Accept("p");
  // One that spins finds it at once; this one looks again in an hour.
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(Get("p").state, ProfileState::kQueued);
  bench_.Close();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Lines(log, "profiles wait for the data directory"), 1U) << log;
  EXPECT_EQ(Lines(log, "\n"), 1U) << log;
}

TEST_F(LostStorageTest, RunsAgainWhatCouldNotBeWrittenDown) {
  bench_.waits.storage_first = bench_.waits.storage_most = milliseconds(1000);
  bench_.Restart();
  BrokenStorage storage(bench_.database_file());
  storage.Break("INSERT ON profile_trials");
  const std::string id = Accept("p");
  bench_.AwaitPhase(id, "queued");
  storage.Mend();
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(Count(profile, "storageFailed"), 1);
}

TEST_F(LostStorageTest, FailsWithTheCauseWhereRecordsFailRunAfterRun) {
  BrokenStorage storage(bench_.database_file());
  storage.Break("INSERT ON profile_trials");
  Accept("p");
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "StorageFailed");
  EXPECT_NE(profile.error->message.find("integer overflow"), std::string::npos);
}

TEST_F(LostStorageTest, NeverGivesAVerifiedAnswerWithoutItsStoredProof) {
  BrokenStorage storage(bench_.database_file());
  storage.Break("INSERT ON profile_trials", "WHEN instr(NEW.document, 'verification')");
  Accept("p");
  const Profile profile = bench_.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_FALSE(profile.recommendation.has_value());
}

}  // namespace
}  // namespace mlprof::server
