// The relay with a real socket before it and a small real proxy behind it.
#include "server/runtime/environment/proxy/proxy_relay.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/runtime/environment/proxy/relay_io.h"
#include "tests/fakes/refused_threads.h"
#include "tests/fakes/soon.h"

namespace mlprof::server::environment {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

using fakes::Soon;

// A proxy that remembers what it was told and says what the test wants; once per connection.
class ScriptedProxy {
 public:
  explicit ScriptedProxy(std::string reply) : reply_(std::move(reply)) {
    listener_.Reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* where = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), where, size), 0);
    ::listen(listener_.get(), 8);
    ::getsockname(listener_.get(), where, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { Serve(); });
  }
  ~ScriptedProxy() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    if (client_) ::shutdown(client_.get(), SHUT_RDWR);
  }

  unsigned short port() const { return port_; }
  /// All that came over all connections.
  std::string Heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  // After its reply it echoes, as whatever is behind a tunnel might.
  void Serve() {
    while (true) {
      UniqueFd accepted(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      const int client = accepted.get();
      {
        const std::lock_guard lock(mutex_);
        client_ = std::move(accepted);
        if (over_ || !client_) return;
      }
      const auto head = ReceiveHead(client, 1 << 16, Soon());
      if (!head) continue;
      Note(head->head + head->more);
      if (!SendAll(client, reply_, Soon())) continue;
      char buffer[4096];
      for (ssize_t n; (n = ::recv(client, buffer, sizeof buffer, 0)) > 0;) {
        Note(std::string(buffer, static_cast<std::size_t>(n)));
        if (!SendAll(client, {buffer, static_cast<std::size_t>(n)}, Soon())) break;
      }
    }
  }
  void Note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    heard_ += text;
  }

  const std::string reply_;
  UniqueFd listener_;
  unsigned short port_ = 0;
  std::mutex mutex_;
  std::string heard_;    // guarded
  UniqueFd client_;      // guarded
  bool over_ = false;    // guarded
  std::jthread thread_;  // ends before the lock goes
};

class ProxyRelayTest : public ::testing::Test {
 protected:
  ProxyRelayTest() {
    char name[] = "/tmp/relay-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~ProxyRelayTest() override {
    client_.Reset();
    relay_.reset();
    fs::remove_all(folder_);
  }

  RelayPolicy Policy() {
    return {[] {
              RelayRules rules;
              rules.own_ports = {8080};
              rules.own_addresses = {*IpAddress::Parse("192.0.2.2")};
              return rules;
            },
            [this](const std::string& why) {
              const std::lock_guard lock(mutex_);
              refused_.push_back(why);
            }};
  }
  void Start(unsigned short port, const std::string& host = "127.0.0.1") {
    auto relay = ProxyRelay::Start({{host, port}, "Basic bWU6c2VjcmV0"}, Policy(), folder_ / "s");
    ASSERT_TRUE(relay) << relay.error().message();
    relay_ = *std::move(relay);
  }
  void Ask(const std::string& text) {
    client_.Reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, (folder_ / "s").c_str(), sizeof address.sun_path - 1);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::connect(client_.get(), where, sizeof address), 0);
    const timeval patience{10, 0};
    ::setsockopt(client_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ASSERT_TRUE(SendAll(client_.get(), text, Soon()));
  }
  std::string Head() {
    const auto reply = ReceiveHead(client_.get(), 1 << 16, Soon());
    return reply ? reply->head : "none: " + reply.error().message();
  }
  /// What comes until the relay closes.
  std::string Rest() {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = ::recv(client_.get(), buffer, sizeof buffer, 0)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }
  std::vector<std::string> Refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  fs::path folder_;
  std::unique_ptr<ProxyRelay> relay_;
  UniqueFd client_;
  std::mutex mutex_;
  std::vector<std::string> refused_;
};

TEST_F(ProxyRelayTest, OpensATunnelWithItsOwnLogin) {
  ScriptedProxy proxy("HTTP/1.1 200 Yes\r\nX-Proxy: 1\r\n\r\n");
  Start(proxy.port());
  Ask("CONNECT 203.0.113.9:443 HTTP/1.1\r\nUser-Agent: pip\r\n\r\n");
  EXPECT_EQ(Head(), "HTTP/1.1 200 Connection established\r\n\r\n");
  ASSERT_TRUE(SendAll(client_.get(), "\x16\x03hello", Soon()));
  char echoed[7];
  EXPECT_EQ(::recv(client_.get(), echoed, sizeof echoed, MSG_WAITALL), 7);
  EXPECT_EQ(proxy.Heard(),
            "CONNECT 203.0.113.9:443 HTTP/1.1\r\nHost: 203.0.113.9:443\r\n"
            "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n\x16\x03hello");
}

TEST_F(ProxyRelayTest, FetchesOnceAndHandsTheResponseOn) {
  ScriptedProxy proxy("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwheel");
  Start(proxy.port());
  Ask("GET http://203.0.113.9/a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(Head(), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  ASSERT_TRUE(SendAll(client_.get(), "GET http://127.0.0.1:8080/ HTTP/1.1\r\n\r\n", Soon()));
  (void)Rest();
  EXPECT_EQ(proxy.Heard(),
            "GET http://203.0.113.9/a HTTP/1.1\r\nHost: 203.0.113.9\r\nConnection: close\r\n"
            "Proxy-Connection: close\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n");
}

TEST_F(ProxyRelayTest, RefusesThisMachineAndTellsThePackageAndTheUser) {
  ScriptedProxy proxy("HTTP/1.1 200 OK\r\n\r\n");
  Start(proxy.port());
  for (const char* request :
       {"CONNECT 127.0.0.1:8080 HTTP/1.1\r\n\r\n", "CONNECT localhost:443 HTTP/1.1\r\n\r\n",
        "GET http://[::1]/ HTTP/1.1\r\n\r\n", "CONNECT 192.0.2.2:443 HTTP/1.1\r\n\r\n",
        "CONNECT 203.0.113.9:8080 HTTP/1.1\r\n\r\n", "GET http://0x7f.1:8080/ HTTP/1.1\r\n\r\n"}) {
    Ask(request);
    EXPECT_EQ(Head().rfind("HTTP/1.1 403 mlprof lends no proxy for ", 0), 0u) << request;
  }
  EXPECT_EQ(proxy.Heard(), "");
  EXPECT_EQ(Refused().size(), 6u);
}

TEST_F(ProxyRelayTest, LetsNothingFollowARequestUnseen) {
  ScriptedProxy proxy("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
  Start(proxy.port());
  const std::string hidden = "CONNECT 127.0.0.1:8080 HTTP/1.1\r\n\r\n";
  Ask("CONNECT 203.0.113.9:443 HTTP/1.1\r\n\r\n" + hidden);
  EXPECT_EQ(Head().substr(0, 12), "HTTP/1.1 400");
  EXPECT_EQ(proxy.Heard(), "");
  // Nor after a tunnel that the proxy did not open.
  Ask("CONNECT 203.0.113.9:443 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(Head().substr(0, 16), "HTTP/1.1 403 No\r");
  (void)SendAll(client_.get(), hidden, Soon());
  (void)Rest();
  EXPECT_EQ(proxy.Heard().find("127.0.0.1"), std::string::npos);
}

TEST_F(ProxyRelayTest, BoundsHeads) {
  ScriptedProxy proxy("HTTP/1.1 200 OK\r\n\r\n");
  Start(proxy.port());
  Ask("GET http://203.0.113.9/ HTTP/1.1\r\nA: " + std::string(17'000, 'a'));
  EXPECT_EQ(Head().substr(0, 12), "HTTP/1.1 431");
  Ask("GET http://203.0.113.9/ HTTP/1.1\r\nA: " + std::string(15'000, 'a') + "\r\n\r\n");
  EXPECT_EQ(Head().substr(0, 12), "HTTP/1.1 200");
}

TEST_F(ProxyRelayTest, PassesTheStatusOfARefusalOnWithoutItsPage) {
  ScriptedProxy proxy("HTTP/1.1 407 Login wanted\r\nX-Echo: secret\r\n\r\nyou said me:secret");
  Start(proxy.port());
  Ask("CONNECT 203.0.113.9:443 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(Head().substr(0, 27), "HTTP/1.1 407 Login wanted\r\n");
  EXPECT_EQ(Rest().find("secret"), std::string::npos);
}

TEST_F(ProxyRelayTest, TellsOfAProxyThatIsNotThere) {
  unsigned short port = 0;
  { port = ScriptedProxy("").port(); }
  Start(port);
  Ask("CONNECT 203.0.113.9:443 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(Head().substr(0, 22), "HTTP/1.1 502 the proxy");
  ASSERT_EQ(Refused().size(), 1u);
  EXPECT_NE(Refused()[0].find("cannot be reached"), std::string::npos);
}

TEST_F(ProxyRelayTest, StopsWithOpenConnectionsAndLeavesNoSocket) {
  ScriptedProxy proxy("HTTP/1.1 200 OK\r\n\r\n");
  Start(proxy.port());
  Ask("CONNECT 203.0.113.9:443 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(Head().substr(0, 12), "HTTP/1.1 200");
  const UniqueFd tunnel = std::move(client_);
  Ask("CONN");  // one that never ends its head
  const auto began = std::chrono::steady_clock::now();
  relay_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  EXPECT_EQ(Rest(), "");
  EXPECT_FALSE(fs::exists(folder_ / "s"));
}

TEST_F(ProxyRelayTest, IsAnErrorWhereNoThreadCanBeMade) {
  const fakes::RefusedThreads none(1);
  const auto relay = ProxyRelay::Start({{"127.0.0.1", 1}, ""}, Policy(), folder_ / "s");
  ASSERT_FALSE(relay);
  EXPECT_EQ(relay.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_FALSE(fs::exists(folder_ / "s"));
}

}  // namespace
}  // namespace mlprof::server::environment
