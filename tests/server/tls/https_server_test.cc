// The HTTP server over TLS: what TLS adds, and that everything else is as it is without.
#include <csignal>
#include <deque>

#include "server/tls/own_certificate.h"
#include "tests/common/http/server_fixture.h"
#include "tests/server/storage/temporary_directory.h"
#include "tests/server/tls/tls_client.h"

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;

std::string Get(const std::string& path, const std::string& more = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
}

std::string Post(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

class HttpsServerTest : public HttpServerTest {
 protected:
  // A server must not need the signal ignored to live through a client that has gone.
  static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_DFL); }
  HttpsServerTest() {
    files_ = EnsureOwnCertificate(directory_ / "tls", NamesOf({"127.0.0.1"}), Now()).value();
    options_.tls.emplace().context = TlsContext::ForServer(files_.certificate, files_.key).value();
    hooks_.admit = [this](const HttpRequest& request) -> std::optional<HttpResponse> {
      over_tls_ = request.over_tls;
      return std::nullopt;
    };
  }
  void ExpectServing() const {
    TlsClient client(server_->tls_port(), files_.authority);
    client.Send(Get("/text"));
    EXPECT_NE(client.ReadResponse().find("200 OK"), std::string::npos);
  }

  CertificateFiles files_;
  std::atomic<bool> over_tls_ = false;
};

TEST_F(HttpsServerTest, ServesTheSameRoutesOnBothListeners) {
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  ASSERT_TRUE(client.connected());
  client.Send(Get("/text"));
  EXPECT_TRUE(client.ReadResponse().ends_with("\r\n\r\ntext"));
  EXPECT_TRUE(over_tls_);
  EXPECT_NE(ResponseTo(Get("/text", "Connection: close\r\n")).find("text"), std::string::npos);
  EXPECT_FALSE(over_tls_);
  EXPECT_NE(server_->port(), server_->tls_port());
}

TEST_F(HttpsServerTest, KeepsConnectionsAndTakesRequestsThatCameTogether) {
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  client.Send(Get("/text") + Get("/models/m") + Get("/text"));
  EXPECT_TRUE(client.ReadResponse().ends_with("text"));
  EXPECT_TRUE(client.ReadResponse().ends_with("m@"));
  EXPECT_TRUE(client.ReadResponse().ends_with("text"));
  client.Send(Get("/models/n"));
  EXPECT_TRUE(client.ReadResponse().ends_with("n@"));
}

TEST_F(HttpsServerTest, MovesLargeBodiesBothWays) {
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  const std::string upload(900'000, 'u');
  client.Send(Post("/upload", upload));
  EXPECT_NE(client.ReadResponse().find("900000 "), std::string::npos);
  client.Send(Get("/big"));
  EXPECT_TRUE(client.ReadResponse().ends_with(std::string(16 << 20, 'b')));
  client.Send(Get("/file"));
  EXPECT_TRUE(client.ReadResponse().ends_with(std::string(600'000, 'f')));
}

TEST_F(HttpsServerTest, SaysTheEndBeforeItCloses) {
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  client.Send(Get("/text", "Connection: close\r\n"));
  EXPECT_TRUE(client.ReadToEnd().ends_with("text"));
  EXPECT_TRUE(client.WasToldTheEnd());
}

TEST_F(HttpsServerTest, JudgesRequestsAsStrictly) {
  StartServer();
  for (const char* request : {"GET /text HTTP/1.1\n\n", "GET /text HTTP/1.1\r\nA : b\r\n\r\n",
                              "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"}) {
    TlsClient client(server_->tls_port(), files_.authority);
    client.Send(request);
    EXPECT_NE(client.ReadToEnd().find("HTTP/1.1 400 "), std::string::npos) << request;
  }
  ExpectServing();
}

TEST_F(HttpsServerTest, ClosesOnWhatIsNoTlsWithoutAWord) {
  StartServer();
  for (const std::string& bytes :
       {Get("/text"), std::string("\x16\x03\x01\xff\xff garbage", 13), std::string(40'000, '\0'),
        std::string("\r\n\r\n"), std::string("SSH-2.0-x\r\n")}) {
    RawClient client(server_->tls_port());
    client.Send(bytes);
    client.ShutdownSend();
    EXPECT_EQ(client.ReadToEnd().find("HTTP"), std::string::npos);
  }
  EXPECT_EQ(handled_, 0);
  ExpectServing();
}

TEST_F(HttpsServerTest, GivesUpAHandshakeThatDoesNotCome) {
  options_.handshake_timeout = milliseconds(100);
  StartServer();
  RawClient silent(server_->tls_port());
  RawClient started(server_->tls_port());
  started.Send(std::string_view("\x16\x03\x01\x02\x00\x01", 6));
  ExpectServing();
  EXPECT_EQ(silent.ReadToEnd(), "");
  EXPECT_EQ(started.ReadToEnd(), "");
  ExpectServing();
}

// Each byte in time, all of them too late: the deadline is for the whole.
TEST_F(HttpsServerTest, GivesUpAHandshakeThatComesInDrips) {
  options_.handshake_timeout = milliseconds(100);
  StartServer();
  RawClient client(server_->tls_port());
  client.Send(std::string_view("\x16\x03\x01\x3f\xff", 5));
  bool open = true;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (open && std::chrono::steady_clock::now() < limit) open = client.Send("\1");
  EXPECT_FALSE(open);
  ExpectServing();
}

TEST_F(HttpsServerTest, TellsAClientThatItsHeaderIsLate) {
  options_.header_timeout = milliseconds(100);
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  client.Send("GET /text HTTP/1.1\r\n");
  EXPECT_NE(client.ReadToEnd().find("HTTP/1.1 408 "), std::string::npos);
}

TEST_F(HttpsServerTest, EndsAnIdleConnection) {
  options_.idle_timeout = milliseconds(100);
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  EXPECT_TRUE(client.connected());
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_TRUE(client.WasToldTheEnd());
}

TEST_F(HttpsServerTest, EndsAClientThatTakesNothing) {
  options_.write_timeout = milliseconds(100);
  std::promise<void> served;
  hooks_.served = [&](const std::string&, const std::string&, int, double) { served.set_value(); };
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  client.Send(Get("/big"));
  EXPECT_EQ(served.get_future().wait_for(std::chrono::seconds(5)), std::future_status::ready);
  EXPECT_LT(client.ReadToEnd().size(), 16U << 20);
}

TEST_F(HttpsServerTest, StreamsAndNoticesAClientThatVanishes) {
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  client.Send(Get("/stream"));
  stream_made_.get_future().wait();
  auto stream = stream_.lock();
  ASSERT_NE(stream, nullptr);
  stream->Say("one");
  EXPECT_NE(client.ReadUntil("one\r\n").find("3\r\none"), std::string::npos);
  auto gone = stream->Gone();
  stream.reset();
  client.Vanish();
  EXPECT_EQ(gone.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  ExpectServing();
}

TEST_F(HttpsServerTest, LivesThroughClientsThatVanishAnywhere) {
  StartServer();
  for (int i = 0; i < 20; ++i) {
    RawClient(server_->tls_port()).Send(std::string_view("\x16\x03\x01", 3));
    TlsClient reading(server_->tls_port(), files_.authority);
    reading.Send(Get("/big"));
    TlsClient writing(server_->tls_port(), files_.authority);
    writing.Send(Post("/upload", std::string(500'000, 'u')).substr(0, 300'000));
  }
  ExpectServing();
}

TEST_F(HttpsServerTest, StopsWhileHandshakesAndConnectionsAreOpen) {
  StartServer();
  TlsClient idle(server_->tls_port(), files_.authority);
  RawClient silent(server_->tls_port());
  idle.Send(Get("/text"));
  idle.ReadResponse();
  server_->Stop(milliseconds(5000));
  EXPECT_EQ(idle.ReadToEnd(), "");
  EXPECT_TRUE(idle.WasToldTheEnd());
  EXPECT_EQ(silent.ReadToEnd(), "");
}

TEST_F(HttpsServerTest, LetsAResponseInFlightFinishBeforeItStops) {
  StartServer();
  TlsClient client(server_->tls_port(), files_.authority);
  client.Send(Get("/block"));
  blocked_.get_future().wait();
  auto stopped = std::async(std::launch::async, [this] { server_->Stop(milliseconds(5000)); });
  unblock_.set_value();
  EXPECT_NE(client.ReadToEnd().find("unblocked"), std::string::npos);
  stopped.wait();
}

TEST_F(HttpsServerTest, RefusesPolitelyWhereAllAreAtWork) {
  options_.max_connections = 1;
  StartServer();
  TlsClient first(server_->tls_port(), files_.authority);
  first.Send(Get("/block"));
  blocked_.get_future().wait();
  TlsClient second(server_->tls_port(), files_.authority);
  second.Send(Get("/text"));
  EXPECT_NE(second.ReadToEnd().find("HTTP/1.1 503 "), std::string::npos);
  unblock_.set_value();
  EXPECT_NE(first.ReadResponse().find("unblocked"), std::string::npos);
}

TEST_F(HttpsServerTest, HandshakesThatDoNotComeMakeRoom) {
  options_.max_connections = 8;
  StartServer();
  std::deque<RawClient> silent;
  for (int i = 0; i < 50; ++i) silent.emplace_back(server_->tls_port());
  for (int i = 0; i < 50; ++i) silent.emplace_back(server_->tls_port()).Send("\x16\x03\x01");
  ExpectServing();
}

TEST(TlsContextTest, NamesTheFileThatCannotBeUsed) {
  const TemporaryDirectory folder;
  const auto files = EnsureOwnCertificate(folder / "a", NamesOf({"localhost"}), Now()).value();
  const auto others = EnsureOwnCertificate(folder / "b", NamesOf({"localhost"}), Now()).value();
  const auto missing = TlsContext::ForServer("/nowhere.pem", files.key);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("/nowhere.pem"), std::string::npos);
  for (const auto& key : {others.key, files.certificate}) {
    const auto wrong = TlsContext::ForServer(files.certificate, key);
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().message().find(key.string()), std::string::npos);
  }
}

}  // namespace
}  // namespace mlprof::server
