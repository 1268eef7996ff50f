// Traces of an imitated profiler server over real HTTP/2, and every way not to get one.
#include "server/devices/profiler/profiler_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "server/devices/profiler/field_writer.h"
#include "server/devices/profiler/live_captures.h"
#include "server/devices/profiler/profile_messages.h"
#include "tests/fakes/fake_profiler_server.h"
#include "tests/fakes/older_profiler.h"

namespace mlprof::server::profiler {
namespace {

using fakes::FakeProfilerServer;
using fakes::ProfilerScript;
using fakes::TcpServer;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

std::string ResponseWith(const std::string& trace) {
  FieldWriter response;
  response.Bytes(8, trace);
  return response.message();
}

class ProfilerClientTest : public testing::Test {
 protected:
  ProfilerClientTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mlprof-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ProfilerClientTest() override { std::filesystem::remove_all(folder_); }

  Result<SpooledBody> Record(int port, std::stop_token stop = {}) {
    ProfilerClient client(limits_);
    return client.Record({{"127.0.0.1", static_cast<unsigned short>(port)},
                          milliseconds(50),
                          folder_,
                          {},
                          std::move(stop)});
  }
  Result<SpooledBody> RecordSeenAt(const std::filesystem::path& root, int port) {
    Recording recording{
        {"127.0.0.1", static_cast<unsigned short>(port)}, milliseconds(50), folder_};
    recording.program_root = root;
    return ProfilerClient(limits_).Record(recording);
  }
  static std::string ContentOf(const SpooledBody& body) {
    std::ifstream file(*body.file, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Error ErrorOf(const ProfilerScript& script) {
    const FakeProfilerServer server(script);
    const auto trace = Record(server.port());
    EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "what was received is left behind";
    return trace ? Internal("there is a trace") : trace.error();
  }

  std::filesystem::path folder_;
  ProfilerLimits limits_{MiB(64), std::chrono::seconds(10), std::chrono::seconds(20)};
};

TEST_F(ProfilerClientTest, PutsTheTraceIntoAFile) {
  const std::string trace(20 << 20, 'x');  // more than any window of HTTP/2's
  const FakeProfilerServer server({.response = ResponseWith(trace)});
  const auto body = Record(server.port());
  ASSERT_TRUE(body) << body.error().message();
  EXPECT_EQ(body->size, Bytes(static_cast<std::int64_t>(trace.size())));
  std::ifstream file(*body->file, std::ios::binary);
  EXPECT_TRUE(std::equal(trace.begin(), trace.end(), std::istreambuf_iterator<char>(file)));
  EXPECT_EQ(server.path(), "/tensorflow.ProfilerService/Profile");
  EXPECT_THAT(server.request(), HasSubstr("127.0.0.1_" + std::to_string(server.port())));
}

TEST_F(ProfilerClientTest, SaysThatAnotherProfileRuns) {
  const Error error =
      ErrorOf({.status = "13", .status_message = "Another profiling session active."});
  EXPECT_EQ(error.code(), ErrorCode::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("another profile runs"));
}

TEST_F(ProfilerClientTest, SaysThatNothingRan) {
  FieldWriter empty;
  empty.Number(7, 1);
  const Error error = ErrorOf({.response = empty.message()});
  EXPECT_EQ(error.code(), ErrorCode::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("nothing ran"));
}

TEST_F(ProfilerClientTest, SaysWhereAnOlderServerPutTheTrace) {
  const Error error = ErrorOf({});  // an empty message, and all is well
  EXPECT_EQ(error.code(), ErrorCode::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("older version"));
  EXPECT_THAT(error.message(), testing::ContainsRegex("/tmp/mlprof-.*xplane.pb"));
}

TEST_F(ProfilerClientTest, TakesWhatAnOlderServerWroteOnThisMachine) {
  std::filesystem::path written;
  const FakeProfilerServer server(fakes::OlderProfiler("/", [&](const std::filesystem::path& file) {
    written = file;
    std::ofstream(file) << "a trace";
  }));
  const auto body = Record(server.port());
  ASSERT_TRUE(body) << body.error().message();
  EXPECT_EQ(ContentOf(*body), "a trace");
  EXPECT_FALSE(std::filesystem::exists(written.parent_path())) << "the program's disk fills up";
}

TEST_F(ProfilerClientTest, TakesWhatAnOlderServerWroteWhereItsDiskIsSeen) {
  const std::filesystem::path root = folder_ / "root";
  const FakeProfilerServer server(fakes::OlderProfilerWriting(root, "a trace"));
  const auto body = RecordSeenAt(root, server.port());
  ASSERT_TRUE(body) << body.error().message();
  EXPECT_EQ(ContentOf(*body), "a trace");
}

TEST_F(ProfilerClientTest, ReadsNothingButAFileOfTheProgramsOwn) {
  const std::filesystem::path root = folder_ / "root";
  const std::filesystem::path secret = folder_ / "secret";
  std::ofstream(secret) << "of this machine";
  using Write = std::function<void(const std::filesystem::path& file)>;
  std::filesystem::create_directories(root);
  std::ofstream(root / "inside") << "another's of the container";
  const Write link = [&](const auto& file) { std::filesystem::create_symlink(secret, file); };
  const Write relative = [&](const auto& file) {
    std::filesystem::create_symlink("../../inside", file);
  };
  const Write pipe = [&](const auto& file) { ASSERT_EQ(mkfifo(file.c_str(), 0600), 0); };
  const Write folder = [&](const auto& file) { std::filesystem::create_directory(file); };
  const Write linked_folder = [&](const auto& file) {
    std::filesystem::create_directories(root / "elsewhere");
    std::ofstream(root / "elsewhere" / file.filename()) << "x";
    std::filesystem::remove(file.parent_path());
    std::filesystem::create_symlink("../elsewhere", file.parent_path());
  };
  const Write endless = [&](const auto& file) {
    std::ofstream(file) << "x";
    std::filesystem::resize_file(file, std::uintmax_t{65} << 20U);
  };
  const std::vector<std::pair<Write, ErrorCode>> hostile = {
      {link, ErrorCode::kConflict},          {relative, ErrorCode::kConflict},
      {pipe, ErrorCode::kConflict},          {folder, ErrorCode::kConflict},
      {linked_folder, ErrorCode::kConflict}, {endless, ErrorCode::kTooLarge}};
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    const FakeProfilerServer server(fakes::OlderProfiler(root, hostile[i].first));
    const auto body = RecordSeenAt(root, server.port());
    ASSERT_FALSE(body) << i;
    EXPECT_EQ(body.error().code(), hostile[i].second) << i << ": " << body.error().message();
  }
}

TEST_F(ProfilerClientTest, SaysThatTheConnectionWasLost) {
  for (const std::size_t after : {std::size_t{0}, std::size_t{3}, std::size_t{100}}) {
    const Error error =
        ErrorOf({.response = ResponseWith(std::string(1000, 'x')), .lost_after = after});
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable) << after;
    EXPECT_THAT(error.message(), HasSubstr("was lost")) << after;
  }
}

TEST_F(ProfilerClientTest, GivesUpOnASilentServerAtItsDeadline) {
  limits_.grace = milliseconds(100);
  const Error error = ErrorOf({.silent = true});
  EXPECT_EQ(error.code(), ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(error.message(), HasSubstr("gave no trace in time"));
}

TEST_F(ProfilerClientTest, EndsWhenItIsAskedTo) {
  const FakeProfilerServer server({.silent = true});
  std::stop_source source;
  std::jthread stopping([&] {
    while (server.path().empty()) std::this_thread::yield();
    source.request_stop();
  });
  const auto trace = Record(server.port(), source.get_token());
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code(), ErrorCode::kCancelled);
}

TEST_F(ProfilerClientTest, TakesNoMoreThanItReads) {
  limits_.trace = Bytes(0);
  Error error = ErrorOf({.response = ResponseWith("x"), .told_size = 2U << 30U});
  EXPECT_EQ(error.code(), ErrorCode::kTooLarge);
  EXPECT_THAT(error.message(), HasSubstr("shorter time"));
  error = ErrorOf({.status = "8", .status_message = "larger%20than%20max"});
  EXPECT_EQ(error.code(), ErrorCode::kTooLarge);
  EXPECT_THAT(error.message(), HasSubstr("larger than max"));
}

TEST_F(ProfilerClientTest, SaysWhatIsNoProfilerServer) {
  const TcpServer http([](int fd) {
    fakes::SendWhole(fd, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    fakes::ReadToEnd(fd);
  });
  const auto of_http = Record(http.port());
  ASSERT_FALSE(of_http);
  for (const Error& error :
       {of_http.error(), ErrorOf({.status = "12", .status_message = "unimplemented"}),
        ErrorOf({.status = "", .http_status = "404", .content_type = "text/html"})}) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.message(), HasSubstr("is no profiler server"));
  }
}

TEST_F(ProfilerClientTest, SaysThatNobodyIsThere) {
  int port = 0;
  {
    const TcpServer gone([](int) {});
    port = gone.port();
  }
  const auto nobody = Record(port);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(nobody.error().message(), HasSubstr("does the program run"));
  const TcpServer closing([](int) {});
  EXPECT_EQ(Record(closing.port()).error().code(), ErrorCode::kUnavailable);
}

TEST_F(ProfilerClientTest, BelievesNoAnswerThatIsDamaged) {
  for (const ProfilerScript& script :
       {ProfilerScript{.response = "\xff\xff\xff"},
        ProfilerScript{.response = "x", .compressed = 1},
        ProfilerScript{.response = ResponseWith("x"), .told_size = 1},
        ProfilerScript{.response = ResponseWith("x"), .told_size = 1000},
        ProfilerScript{.response = ResponseWith("x"), .status = ""},
        ProfilerScript{.response = ResponseWith("x"), .status = "nought"}}) {
    EXPECT_EQ(ErrorOf(script).code(), ErrorCode::kInternal) << ErrorOf(script).message();
  }
}

TEST(LiveCapturesTest, AreTakenOfAllowedAddressesAloneAndOneAtATime) {
  ProfilerClient client;
  LiveCaptures captures(client, {{"10.0.0.1", 9012}});
  EXPECT_TRUE(captures.Check({"10.0.0.1", 9012}));
  for (const ProfilerAddress& other :
       {ProfilerAddress{"127.0.0.1", 9012}, {"localhost", 9012}, {"10.0.0.1", 9013}}) {
    const Status status = captures.Check(other);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), ErrorCode::kPermissionDenied);
    EXPECT_THAT(status.error().message(), HasSubstr("--capture-address " + other.Text()));
  }
  auto turn = captures.TakeTurn();
  EXPECT_TRUE(turn);
  std::jthread([&] { EXPECT_FALSE(captures.TakeTurn()); }).join();
  turn.unlock();
  std::jthread([&] { EXPECT_TRUE(captures.TakeTurn()); }).join();
}

TEST_F(ProfilerClientTest, AServerThatStopsEndsItsCapture) {
  const FakeProfilerServer server({.silent = true});
  ProfilerClient client(limits_);
  LiveCaptures captures(client, {});
  std::jthread stopping([&] {
    while (server.path().empty()) std::this_thread::yield();
    captures.Stop();
  });
  const ProfilerAddress address{"127.0.0.1", static_cast<unsigned short>(server.port())};
  const auto trace = captures.Take(address, milliseconds(10), folder_);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message(), "the server is stopping");
}

}  // namespace
}  // namespace mlprof::server::profiler
