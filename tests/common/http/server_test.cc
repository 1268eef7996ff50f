#include "common/http/server.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/common/http/raw_requests.h"
#include "tests/common/http/server_fixture.h"

namespace mlprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string GetText(const std::string& target, const std::string& fields = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

TEST_F(HttpServerTest, RespondsToARequest) {
  StartServer();
  EXPECT_EQ(ResponseTo(GetText("/text", "Connection: close\r\n")),
            "HTTP/1.1 200 OK\r\nServer: mlprof\r\nContent-Type: text/plain\r\n"
            "Content-Length: 4\r\nConnection: close\r\n\r\ntext");
}

TEST_F(HttpServerTest, GivesParametersDecodedOnce) {
  StartServer();
  EXPECT_THAT(ResponseTo(GetText("/models/a%3A1?workspace=s/g%2Fn+x")),
              EndsWith("\r\n\r\na:1@s/g/n x"));
  EXPECT_THAT(ResponseTo(GetText("/models/a:1")), EndsWith("\r\n\r\na:1@"));
}

TEST_F(HttpServerTest, RespondsToRequestsThatFollowOneAnother) {
  StartServer();
  RawClient client = Connect();
  for (int i = 0; i < 3; ++i) {
    client.Send(GetText("/text"));
    EXPECT_THAT(client.ReadResponse(), EndsWith("keep-alive\r\n\r\ntext"));
  }
}

TEST_F(HttpServerTest, RespondsToPipelinedRequestsInOrder) {
  StartServer();
  const std::string responses = ResponseTo(
      GetText("/models/1") + "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" +
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndef\r\n0\r\n"
      "\r\n\r\n" +
      GetText("/models/4", "Connection: close\r\n") + GetText("/models/5"));
  const auto at = [&](const char* text) { return responses.find(text); };
  EXPECT_LT(at("\r\n1@"), at("\r\nabc"));
  EXPECT_LT(at("\r\nabc"), at("\r\ndef"));
  EXPECT_LT(at("\r\ndef"), at("\r\n4@"));
  EXPECT_EQ(at("5@"), std::string::npos);
}

TEST_F(HttpServerTest, UnderstandsARequestCutAnywhere) {
  StartServer();
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2;x=y\r\nab\r\n1\r\nc\r\n0\r\nX-Late: late\r\n\r\n";
  RawClient client = Connect();
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    client.Send(request.substr(0, cut));
    client.Send(request.substr(cut));
    ASSERT_THAT(client.ReadResponse(), EndsWith("\r\n\r\nabc")) << cut;
  }
}

TEST_F(HttpServerTest, RefusesBadFramingHoweverItIsCutAndCloses) {
  StartServer();
  for (const RawRequest& raw : RawRequests()) {
    if (raw.status == 200) continue;
    const std::string smuggled = raw.bytes + GetText("/text");
    const std::string status = "HTTP/1.1 " + std::to_string(raw.status) + " ";
    const std::string whole = ResponseTo(smuggled);
    EXPECT_THAT(whole, StartsWith(status)) << raw.name;
    EXPECT_THAT(whole, HasSubstr("Connection: close")) << raw.name;
    EXPECT_EQ(whole.find("Server:"), whole.rfind("Server:")) << raw.name;
    RawClient client = Connect();
    for (const char byte : smuggled) {
      if (!client.Send(std::string_view(&byte, 1))) break;
    }
    EXPECT_THAT(client.ReadResponse(), StartsWith(status)) << raw.name;
  }
  EXPECT_EQ(handled_, 0);
}

TEST_F(HttpServerTest, ClosesAfterAMalformedChunk) {
  StartServer();
  const std::string response = ResponseTo(
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n" +
      GetText("/text"));
  EXPECT_THAT(response, StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(response.find("HTTP/1.1", 1), std::string::npos);
  EXPECT_EQ(handled_, 0);
}

TEST_F(HttpServerTest, RefusesWhatIsNotThere) {
  StartServer();
  EXPECT_THAT(ResponseTo(GetText("/nothing")), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ResponseTo(GetText("/models/a%2fb")), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ResponseTo(GetText("/models/..")), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ResponseTo(GetText("/text?a=%zz")), StartsWith("HTTP/1.1 400 "));
  const std::string wrong = ResponseTo("OPTIONS /text HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(wrong, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(wrong, HasSubstr("\r\nAllow: DELETE, GET, HEAD\r\n"));
  EXPECT_THAT(wrong, HasSubstr("Content-Type: application/problem+json"));
}

TEST_F(HttpServerTest, RespondsToHeadWithoutTheBody) {
  StartServer();
  const std::string response = ResponseTo("HEAD /text HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(response, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(response, EndsWith("\r\n\r\n"));
  EXPECT_THAT(ResponseTo("HEAD /file HTTP/1.1\r\nHost: a\r\n\r\n"),
              HasSubstr("Content-Length: 600000\r\n"));
}

TEST_F(HttpServerTest, SendsPartOfAFile) {
  StartServer();
  const std::string response = ResponseTo(GetText("/part-of-file"));
  EXPECT_THAT(response, StartsWith("HTTP/1.1 206 Partial Content\r\n"));
  EXPECT_THAT(response, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(response, EndsWith("\r\n\r\n3456"));
  EXPECT_THAT(ResponseTo(GetText("/behind-file")), StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, SendsNoBodyWith204) {
  StartServer();
  const std::string response = ResponseTo("DELETE /text HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(response, StartsWith("HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(response, Not(HasSubstr("Content-Length")));
}

TEST_F(HttpServerTest, SpeaksHttp10) {
  StartServer();
  EXPECT_THAT(ResponseTo("GET /text HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close\r\n\r\ntext"));
  RawClient client = Connect();
  client.Send("GET /text HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("Connection: keep-alive\r\n\r\ntext"));
  client.Send("GET /text HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("text"));
}

TEST_F(HttpServerTest, AsksBeforeRoutingAndBeforeTheBody) {
  hooks_.admit = [](const HttpRequest& request) -> std::optional<HttpResponse> {
    EXPECT_EQ(request.BodyText(), "");
    if (request.headers.Get("Origin") == "evil") return TextResponse(403, "text/plain", "no");
    if (request.headers.Get("Origin") == "throw") throw std::runtime_error("a mistake");
    return std::nullopt;
  };
  StartServer();
  const std::string response = ResponseTo(
      "POST /nothing HTTP/1.1\r\nHost: a\r\nOrigin: evil\r\nExpect: 100-continue\r\n"
      "Content-Length: 9000000\r\n\r\n");
  EXPECT_THAT(response, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  EXPECT_THAT(ResponseTo(GetText("/text", "Origin: throw\r\n")), StartsWith("HTTP/1.1 500 "));
  EXPECT_EQ(handled_, 0);
  EXPECT_THAT(ResponseTo(GetText("/text")), EndsWith("text"));
}

TEST_F(HttpServerTest, RespondsForAHandlerThatThrowsOrNamesNoFile) {
  StartServer();
  RawClient client = Connect();
  client.Send(GetText("/throw"));
  const std::string response = client.ReadResponse();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(response, Not(HasSubstr("a mistake")));
  client.Send(GetText("/missing-file"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, SendsAFileAndABigText) {
  StartServer();
  RawClient client = Connect();
  client.Send(GetText("/file"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("\r\n\r\n" + std::string(600'000, 'f')));
  client.Send(GetText("/big"));
  const std::string big = client.ReadResponse();
  EXPECT_EQ(big.size() - big.find("\r\n\r\n") - 4, std::size_t{16} << 20);
}

TEST_F(HttpServerTest, ReportsWhatWasServed) {
  std::promise<std::string> served;
  hooks_.served = [&](const std::string& route, const std::string& method, int status,
                      double seconds) {
    EXPECT_GE(seconds, 0);
    served.set_value(method + " " + route + " " + std::to_string(status));
  };
  StartServer();
  ResponseTo(GetText("/models/x"));
  EXPECT_EQ(served.get_future().get(), "GET /models/{id} 200");
}

TEST_F(HttpServerTest, GivesUpOnASlowHeader) {
  options_.header_timeout = std::chrono::milliseconds(20);
  StartServer();
  RawClient client = Connect();
  client.Send("GET /text HTTP/1.1\r\nHost:");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(HttpServerTest, ClosesAnIdleConnectionWithoutAWord) {
  options_.idle_timeout = std::chrono::milliseconds(20);
  StartServer();
  EXPECT_EQ(Connect().ReadToEnd(), "");
}

TEST_F(HttpServerTest, GivesUpOnAClientThatReadsNothing) {
  options_.write_timeout = std::chrono::milliseconds(20);
  std::promise<void> served;
  hooks_.served = [&](const auto&, const auto&, int, double) { served.set_value(); };
  StartServer();
  RawClient client = Connect();
  client.Send(GetText("/big"));
  EXPECT_EQ(served.get_future().wait_for(std::chrono::seconds(5)), std::future_status::ready);
  EXPECT_LT(client.ReadToEnd().size(), std::size_t{16} << 20);
}

TEST_F(HttpServerTest, RefusesAHeaderThatIsTooLong) {
  StartServer();
  EXPECT_THAT(ResponseTo(GetText("/text", "X: " + std::string(20'000, 'x') + "\r\n")),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ResponseTo("GET /" + std::string(20'000, 'x')), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ResponseTo(GetText("/" + std::string(9'000, 'x'))), StartsWith("HTTP/1.1 414 "));
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  StartServer();
  HttpServerOptions same;
  same.port = server_->port();
  const auto second = HttpServer::Start(same, Router(), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message(), HasSubstr("Address already in use"));
  same.address = "localhost.example";
  EXPECT_EQ(HttpServer::Start(same, Router(), {}).error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(HttpServerTest, FinishesTheResponseInFlightWhenItStops) {
  StartServer();
  RawClient busy = Connect();
  RawClient idle = Connect();
  busy.Send(GetText("/block"));
  blocked_.get_future().wait();
  std::thread stopper([&] { server_->Stop(std::chrono::seconds(5)); });
  EXPECT_EQ(idle.ReadToEnd(), "");
  unblock_.set_value();
  EXPECT_THAT(busy.ReadToEnd(), EndsWith("Connection: close\r\n\r\nunblocked"));
  stopper.join();
  EXPECT_EQ(Connect().ReadToEnd(), "");
}

TEST_F(HttpServerTest, BreaksOffWhatOutlastsTheGrace) {
  StartServer();
  RawClient uploading = Connect();
  uploading.Send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
  RawClient busy = Connect();
  busy.Send(GetText("/block"));
  blocked_.get_future().wait();
  std::thread stopper([&] { server_->Stop(std::chrono::milliseconds(1)); });
  EXPECT_EQ(uploading.ReadToEnd(), "");
  EXPECT_EQ(busy.ReadToEnd(), "");
  unblock_.set_value();
  stopper.join();
  EXPECT_EQ(SpooledFiles(), 0u);
}

}  // namespace
}  // namespace mlprof
