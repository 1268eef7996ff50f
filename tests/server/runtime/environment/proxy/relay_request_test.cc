#include "server/runtime/environment/proxy/relay_request.h"

#include <gtest/gtest.h>

namespace mlprof::server::environment {
namespace {

TEST(RelayRequest, OpensATunnelWithNothingButItsTarget) {
  const auto request = ParseRelayRequest(
      "CONNECT Index.Test:443 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nProxy-Authorization: Basic "
      "eA==\r\n"
      "X-Other: 1\r\n\r\n");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_TRUE(request->tunnel);
  EXPECT_EQ(request->target, (HostPort{"index.test", 443}));
  EXPECT_EQ(request->head, "CONNECT index.test:443 HTTP/1.1\r\nHost: index.test:443\r\n");
}

TEST(RelayRequest, FetchesAUrlAndSaysTheHostItself) {
  const auto request = ParseRelayRequest(
      "GET HTTP://Index.Test/simple/a/?x=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: */*\r\n"
      "Connection: keep-alive, Upgrade\r\nProxy-Connection: keep-alive\r\nUpgrade: websocket\r\n"
      "Content-Length: 0\r\nproxy-authorization: Basic eA==\r\nAuthorization: Basic eQ==\r\n\r\n");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_FALSE(request->tunnel);
  EXPECT_EQ(request->target, (HostPort{"index.test", 80}));
  EXPECT_EQ(request->head,
            "GET http://index.test/simple/a/?x=1 HTTP/1.1\r\nHost: index.test\r\nAccept: */*\r\n"
            "Authorization: Basic eQ==\r\nConnection: close\r\nProxy-Connection: close\r\n");
}

TEST(RelayRequest, WritesPortsAndEmptyPathsOut) {
  const auto request = ParseRelayRequest("HEAD http://[2001:DB8::1]:8081?a HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->head.substr(0, request->head.find('\r')),
            "HEAD http://[2001:db8::1]:8081/?a HTTP/1.1");
}

TEST(RelayRequest, RefusesEverythingElse) {
  for (const std::string head : {"POST http://h/ HTTP/1.1\r\n\r\n",
                                 "get http://h/ HTTP/1.1\r\n\r\n",
                                 "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
                                 "GET https://h/ HTTP/1.1\r\n\r\n",
                                 "GET ftp://h/ HTTP/1.1\r\n\r\n",
                                 "GET //h/ HTTP/1.1\r\n\r\n",
                                 "GET http:///x HTTP/1.1\r\n\r\n",
                                 "GET http://u:p@h/ HTTP/1.1\r\n\r\n",
                                 "GET http://a@127.0.0.1/ HTTP/1.1\r\n\r\n",
                                 "GET http://h\\@127.0.0.1/ HTTP/1.1\r\n\r\n",
                                 "GET http://h/a b HTTP/1.1\r\n\r\n",
                                 "GET http://h/#x HTTP/1.1\r\n\r\n",
                                 "GET http://h#@x/ HTTP/1.1\r\n\r\n",
                                 "GET http://h/ HTTP/2.0\r\n\r\n",
                                 "GET http://h/ HTTP/1.1 HTTP/1.1\r\n\r\n",
                                 "GET http://h/\r\n\r\n",
                                 "GET\r\n\r\n",
                                 "\r\n",
                                 "\r\n\r\n",
                                 "CONNECT h HTTP/1.1\r\n\r\n",
                                 "CONNECT h:443/ HTTP/1.1\r\n\r\n",
                                 "CONNECT http://h:443 HTTP/1.1\r\n\r\n",
                                 "CONNECT h:443@x:1 HTTP/1.1\r\n\r\n",
                                 "CONNECT  h:443 HTTP/1.1\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\nHost: h\n\n",
                                 "GET http://h/ HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\nA : b\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\n A: b\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\nnone\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\n: x\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\nContent-Length: 1\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\nContent-Length: 0, 1\r\n\r\n",
                                 "GET http://h/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                                 "CONNECT h:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
                                 "CONNECT h:443 HTTP/1.1\r\nbad\r\n\r\n"}) {
    EXPECT_FALSE(ParseRelayRequest(head)) << head;
  }
  EXPECT_FALSE(ParseRelayRequest(std::string("GET http://h/\0 HTTP/1.1\r\n\r\n", 27)));
}

TEST(RelayReply, IsReadForItsStatusAndReason) {
  EXPECT_EQ(StatusOf("HTTP/1.1 200 OK\r\n\r\n"), 200);
  EXPECT_EQ(StatusOf("HTTP/1.0 407 Who\r\n\r\n"), 407);
  EXPECT_EQ(StatusOf("HTTP/1.1 2\r\n"), 0);
  EXPECT_EQ(StatusOf("SSH-2.0-x\r\n"), 0);
  EXPECT_EQ(ReasonOf("HTTP/1.0 407 Who\tare you\r\nX: y\r\n\r\n"), "Whoare you");
  EXPECT_EQ(ReasonOf("HTTP/1.1 200\r\n\r\n"), "");
}

}  // namespace
}  // namespace mlprof::server::environment
