#include "server/runtime/environment/proxy/relay_exchange.h"

#include <chrono>
#include <utility>

#include "common/os/byte_pump.h"
#include "server/runtime/environment/proxy/host_lookup.h"
#include "server/runtime/environment/proxy/relay_io.h"
#include "server/runtime/environment/proxy/relay_request.h"

namespace mlprof::server::environment {
namespace {

// Longer than what pip itself waits (15 s by default), so that its own message is what is seen.
constexpr std::chrono::seconds kRequestLimit{30};
constexpr std::chrono::seconds kLookUpLimit{5};
constexpr std::chrono::seconds kConnectLimit{30};
constexpr std::chrono::seconds kTunnelLimit{120};  // a proxy answers when the far end has
constexpr std::chrono::minutes kIdleLimit{10};

// A response of our own. pip shows the reason phrase and nothing else.
struct Refusal {
  int status = 0;
  std::string reason;
};

class Exchange {
 public:
  Exchange(UniqueFd client, const HttpProxy& proxy, const RelayPolicy& policy, std::stop_token stop)
      : client_(std::move(client)), proxy_(proxy), policy_(policy), stop_(std::move(stop)) {}

  void Run() {
    const Refusal refusal = Serve();
    if (refusal.status != 0) Respond(refusal);
  }

 private:
  Patience For(std::chrono::seconds limit) const { return {Deadline::After(limit), stop_}; }

  // What the client is to be answered; a status of 0 where it has been answered already.
  Refusal Serve();
  Refusal Judge(const HostPort& target) const;
  Refusal Connect();
  Refusal OpenTunnel();
  Refusal ProxyGone(const Error& error) const;
  void Respond(const Refusal& refusal) const;

  const UniqueFd client_;
  const HttpProxy& proxy_;
  const RelayPolicy& policy_;
  const std::stop_token stop_;
  UniqueFd upstream_;
};

Refusal Exchange::Serve() {
  const auto asked = ReceiveHead(client_.get(), kLongestRelayHead, For(kRequestLimit));
  if (!asked && asked.error().code() == ErrorCode::kTooLarge) {
    return {431, "Request Header Fields Too Large"};
  }
  if (!asked) return {};
  const Result<RelayRequest> request = ParseRelayRequest(asked->head);
  if (!request) return {400, request.error().message()};
  if (!asked->more.empty()) return {400, "mlprof's proxy relay: one request, and nothing after it"};
  if (const Refusal refused = Judge(request->target); refused.status != 0) return refused;
  if (const Refusal failed = Connect(); failed.status != 0) return failed;
  std::string head = request->head;
  if (!proxy_.authorization.empty()) {
    head += "Proxy-Authorization: " + proxy_.authorization + "\r\n";
  }
  const Status sent = SendAll(upstream_.get(), head + "\r\n", For(kRequestLimit));
  if (!sent) return ProxyGone(sent.error());
  if (request->tunnel) return OpenTunnel();
  PumpBytes(client_.get(), upstream_.get(), PumpWays::kToFirst, kIdleLimit, stop_);
  return {};
}

Refusal Exchange::Judge(const HostPort& target) const {
  const RelayRules rules = policy_.rules();
  auto why = WhyRefused(target, {}, rules);
  if (!why && !IpAddress::Parse(target.host)) {
    why = WhyRefused(target, LookUp(target.host, stop_, Deadline::After(kLookUpLimit)), rules);
  }
  if (!why) return {};
  policy_.refused(*why);
  return {403, *why};
}

Refusal Exchange::Connect() {
  const std::string& host = proxy_.place.host;
  std::vector<IpAddress> addresses;
  if (const auto literal = IpAddress::ParseAnySpelling(host)) {
    addresses.push_back(*literal);
  } else {
    addresses = LookUp(host, stop_, Deadline::After(kLookUpLimit));
  }
  Result<UniqueFd> connected = ConnectTo(addresses, proxy_.place.port, For(kConnectLimit));
  if (!connected) return ProxyGone(connected.error());
  upstream_ = *std::move(connected);
  return {};
}

Refusal Exchange::OpenTunnel() {
  const auto reply = ReceiveHead(upstream_.get(), kLongestRelayHead, For(kTunnelLimit));
  if (!reply) return ProxyGone(reply.error());
  const int status = StatusOf(reply->head);
  if (status < 200) return {502, "the proxy " + TextOf(proxy_.place) + " does not speak HTTP"};
  // Its page is left out: nobody reads it, and it may tell more about the login than needed.
  if (status >= 300) return {status, ReasonOf(reply->head)};
  const Status opened =
      SendAll(client_.get(), "HTTP/1.1 200 Connection established\r\n\r\n" + reply->more,
              For(kRequestLimit));
  if (opened) {
    PumpBytes(client_.get(), upstream_.get(), PumpWays::kBoth, kIdleLimit, stop_);
  }
  return {};
}

Refusal Exchange::ProxyGone(const Error& error) const {
  const std::string why =
      "the proxy " + TextOf(proxy_.place) + " cannot be reached: " + error.message();
  if (!stop_.stop_requested()) policy_.refused(why);
  return {502, why};
}

void Exchange::Respond(const Refusal& refusal) const {
  const std::string body = refusal.reason + "\n";
  const std::string text =
      "HTTP/1.1 " + std::to_string(refusal.status) + " " + refusal.reason +
      "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\nConnection: close\r\n\r\n" + body;
  // A client that is gone needs no response.
  (void)SendAll(client_.get(), text, For(kRequestLimit));
}

}  // namespace

void ServeRelayed(UniqueFd client, const HttpProxy& proxy, const RelayPolicy& policy,
                  std::stop_token stop) {
  Exchange(std::move(client), proxy, policy, std::move(stop)).Run();
}

}  // namespace mlprof::server::environment
