// Who may talk to a server without tokens: only programs of this machine, and no web page of
// another site through a browser on it (DNS rebinding, cross-site requests). For all methods.
// Thread-safe.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "common/http/message.h"

namespace mlprof {

class AccessRules {
 public:
  /// `more_hosts`: further values of Host to be accepted, "name" or "name:port", beside the
  /// loopback names and addresses with the listening port.
  explicit AccessRules(std::vector<std::string> more_hosts = {});

  /// Where the server listens; until it is told, loopback names are refused too.
  void SetPort(unsigned short port) { port_ = port; }

  /// The refusal (400 without a usable Host, 403 else), or nothing where the request may go on.
  std::optional<HttpResponse> Check(const HttpRequest& request) const;

 private:
  bool IsOurs(const std::string& authority) const;

  std::vector<std::string> more_hosts_;  // lower case, with port
  std::atomic<unsigned short> port_ = 0;
};

}  // namespace mlprof
