#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>

#include <thread>

#include "common/http/server.h"
#include "tests/common/http/server_fixture.h"

namespace mlprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kSha256OfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string Post(const std::string& target, const std::string& body,
                 const std::string& fields = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: a\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST_F(HttpServerTest, TakesABodyUpToItsLimit) {
  StartServer();
  const std::string longest(1000, 'x');
  EXPECT_THAT(ResponseTo(Post("/echo", longest)), EndsWith("\r\n\r\n" + longest));
  EXPECT_THAT(ResponseTo(Post("/echo", "")), EndsWith("\r\n\r\n"));
  EXPECT_THAT(ResponseTo(Post("/echo", longest + "x")), StartsWith("HTTP/1.1 413 "));
  const std::string chunked =
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n";
  EXPECT_THAT(ResponseTo(chunked + longest + "x\r\n0\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(handled_, 2);
}

TEST_F(HttpServerTest, RefusesATooLargeBodyBeforeItComes) {
  StartServer();
  RawClient client = Connect();
  client.Send(
      "POST /upload HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n"
      "\r\n");
  const std::string response = client.ReadToEnd();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  EXPECT_THAT(response, HasSubstr("larger than 1048576 bytes"));
}

TEST_F(HttpServerTest, LetsAClientReadTheRefusalWhileItStillSends) {
  StartServer();
  RawClient client = Connect();
  const std::string body(4 << 20, 'x');
  client.Send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 4194304\r\n\r\n" + body);
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, InvitesABodyThatWaits) {
  StartServer();
  RawClient client = Connect();
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("abc");
  EXPECT_THAT(client.ReadResponse(), EndsWith("\r\n\r\nabc"));
  EXPECT_THAT(ResponseTo(Post("/echo", "abc", "Expect: a-miracle\r\n")),
              StartsWith("HTTP/1.1 417 "));
}

TEST_F(HttpServerTest, DropsABodyNobodyWants) {
  StartServer();
  RawClient client = Connect();
  client.Send(Post("/ignore", "{}") + Post("/echo", "next"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("\r\n\r\n"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("\r\n\r\nnext"));
}

TEST_F(HttpServerTest, NeverTakesATrailerForAHeader) {
  StartServer();
  EXPECT_THAT(ResponseTo("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "3\r\nabc\r\n0\r\nX-Late: late\r\n\r\n"),
              EndsWith("\r\n\r\nabc"));
}

TEST_F(HttpServerTest, SpoolsAnUploadAndRemovesItAfterwards) {
  StartServer();
  EXPECT_THAT(ResponseTo(Post("/upload", "abc")),
              EndsWith("3 " + std::string(kSha256OfAbc) + " there"));
  EXPECT_THAT(ResponseTo("POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"),
              EndsWith("3 " + std::string(kSha256OfAbc) + " there"));
  EXPECT_THAT(ResponseTo(Post("/upload", std::string(1 << 20, 'x'))), HasSubstr("1048576 "));
  EXPECT_THAT(ResponseTo(Post("/upload", "")), HasSubstr("0 e3b0c442"));
  server_.reset();
  EXPECT_EQ(SpooledFiles(), 0u);
}

TEST_F(HttpServerTest, RemovesAnUploadWhoseClientVanished) {
  StartServer();
  {
    RawClient client = Connect();
    client.Send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
  }
  // Connections are accepted in order, so the server has the first one by now.
  ResponseTo(Post("/upload", "abc"));
  server_->Stop(std::chrono::seconds(5));
  EXPECT_EQ(SpooledFiles(), 0u);
  EXPECT_EQ(handled_, 1);
}

TEST_F(HttpServerTest, GivesUpOnABodyThatStalls) {
  options_.body_stall_timeout = std::chrono::milliseconds(20);
  StartServer();
  for (const std::string target : {"/echo", "/upload"}) {
    RawClient client = Connect();
    client.Send("POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
    EXPECT_THAT(client.ReadUntil("stalled"), StartsWith("HTTP/1.1 408 ")) << target;
  }
  EXPECT_EQ(handled_, 0);
}

TEST_F(HttpServerTest, SaysNothingOfTheDiskWhenSpoolingFails) {
  options_.spool_directory = directory_ / "missing";
  StartServer();
  const std::string response = ResponseTo(Post("/upload", "abc"));
  EXPECT_THAT(response, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(response, Not(HasSubstr(directory_.string())));
}

TEST_F(HttpServerTest, Responds503WhenTheDiskIsFull) {
  bool mounted = false;
  std::string response;
  // A thread has its own mount namespace, and the server's threads inherit it; both end with them.
  std::thread([&] {
    mounted = ::unshare(CLONE_NEWNS) == 0 &&
              ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
              ::mount("none", options_.spool_directory.c_str(), "tmpfs", 0, "size=64k") == 0;
    if (!mounted) return;
    StartServer();
    response = ResponseTo(Post("/upload", std::string(500'000, 'x')));
    server_.reset();
  }).join();
  if (!mounted) GTEST_SKIP() << "mounting a small disk is not allowed here";
  EXPECT_THAT(response, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(response, HasSubstr("the disk is full"));
}

}  // namespace
}  // namespace mlprof
