// Who may talk to the server. First, no web page of another site through a browser (DNS rebinding,
// cross-site requests): Host, Origin and Sec-Fetch-Site, for all methods. Then whoever is on this
// machine, or brings a token: reads (GET, HEAD) need Scope::kRead, all else Scope::kWrite.
//
// Set up before the server starts, but for the ports; after that thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/token.h"
#include "common/http/message.h"

namespace mlprof::server {

/// What `token` allows; nullopt for a token that is none, is expired or was revoked. Thread-safe.
using BearerCheck = std::function<std::optional<Scope>(std::string_view token)>;

/// The X of the one `Authorization: Bearer X`; "" for anything else that was sent.
std::string BearerOf(const HttpRequest& request);

class AccessRules {
 public:
  /// Whether callers of this machine need a token like everybody else.
  enum class Local { kTrusted, kNeedsToken };
  explicit AccessRules(Local local = Local::kTrusted) : local_(local) {}

  /// Where the server listens, 0 for not at all; until told, loopback names are refused too.
  void SetPorts(unsigned short http, unsigned short https);
  unsigned short http_port() const { return http_port_; }
  unsigned short https_port() const { return https_port_; }
  /// Another address of this server: "http://192.0.2.1:8080", "https://box.example". Its scheme
  /// matters to Origin alone: behind a proxy https arrives as http.
  void RespondTo(std::string_view url);
  /// Listening on all addresses: every IP address of a listener's port is ours (a name is not).
  void RespondToEveryAddress() { every_address_ = true; }
  /// Lets in who brings no token, from wherever.
  void LetAnyoneIn() { anyone_ = true; }
  /// Asked in turn for the X of `Authorization: Bearer X`.
  void AcceptBearer(BearerCheck check) { checks_.push_back(std::move(check)); }
  /// Requests whose handlers ask for a credential themselves: neither Authorization nor where they
  /// come from is looked at here.
  void LeaveOpen(std::function<bool(const HttpRequest&)> guarded_elsewhere) {
    guarded_elsewhere_.push_back(std::move(guarded_elsewhere));
  }
  /// Requests that bring a valid credential of another kind: let in like those left open, and their
  /// caller is known.
  void AcceptCredential(std::function<bool(const HttpRequest&)> brings_credential) {
    credentials_.push_back(std::move(brings_credential));
  }

  /// The refusal (400 without a usable Host, 401, 403), or nothing where the request may go on.
  std::optional<HttpResponse> Check(const HttpRequest& request) const;

  /// Whether the request proves who the caller is, or nobody is asked to.
  bool Knows(const HttpRequest& request) const;

  /// A program of this machine that speaks to us directly and may do so without a token: a loopback
  /// peer, a loopback Host, no sign of a proxy.
  bool IsLocal(const HttpRequest& request) const;
  std::optional<Scope> ScopeOf(std::string_view token) const;
  /// What the caller may do: all where it is local, else what its token says. nullopt: nothing
  /// known of it, though LetAnyoneIn() may have let it in.
  std::optional<Scope> ScopeOf(const HttpRequest& request) const;

 private:
  struct Address {
    std::string scheme;
    std::string authority;  // lower case, with port
  };

  /// Whether `authority` has a listener's port and a host that `is_ours`.
  bool IsListener(const std::string& authority, const std::string& scheme,
                  bool (*is_ours)(std::string_view host)) const;
  bool IsOurHost(const HttpRequest& request, const std::string& authority) const;
  bool IsOurOrigin(const HttpRequest& request, const std::string& origin) const;
  std::optional<HttpResponse> CheckSite(const HttpRequest& request) const;
  std::optional<HttpResponse> CheckCaller(const HttpRequest& request) const;
  bool BringsCredential(const HttpRequest& request) const;

  const Local local_;
  bool every_address_ = false;
  bool anyone_ = false;
  std::vector<Address> addresses_;
  std::vector<BearerCheck> checks_;
  std::vector<std::function<bool(const HttpRequest&)>> guarded_elsewhere_;
  std::vector<std::function<bool(const HttpRequest&)>> credentials_;
  std::atomic<unsigned short> http_port_ = 0;
  std::atomic<unsigned short> https_port_ = 0;
};

}  // namespace mlprof::server
