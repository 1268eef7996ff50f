#include "server/runtime/docker/pull_failure.h"

namespace mlprof::server::docker {
namespace {

struct Cause {
  const char* said;  // a part of the engine's message
  const char* means;
};

// The first that matches; the engine's texts are those of 20.10 to 29.
constexpr Cause kCauses[] = {
    {"manifest unknown", "it has no such tag"},
    {"manifest for", "it has no such tag"},
    {"repository does not exist", "it has no such repository, or wants a login"},
    {"pull access denied", "it has no such repository, or wants a login"},
    {"unauthorized", "it wants a login"},
    {"authentication required", "it wants a login"},
    {"denied", "it wants a login"},
    {"toomanyrequests", "it refuses more pulls for now"},
    {"no such host", "its name is not known here"},
    {"server misbehaving", "its name could not be looked up"},
    {"connection refused", "nothing listens there"},
    {"no route to host", "there is no way to it"},
    {"network is unreachable", "there is no way to it"},
    {"x509", "its certificate is not trusted"},
    {"tls", "it does not speak TLS as it should"},
    {"server gave HTTP response to HTTPS client", "it speaks no TLS"},
    {"no matching manifest", "it has no image for this kind of machine"},
    {"no space left on device", "the disk of Docker's data is full"},
    {"timeout", "no response in time"},
    {"deadline exceeded", "no response in time"},
    {"request canceled", "no response in time"},
    {"EOF", "the connection broke"},
    {"connection reset", "the connection broke"},
};

}  // namespace

std::string PullFailure(std::string_view said) {
  for (const Cause& cause : kCauses) {
    if (said.find(cause.said) != std::string_view::npos) return cause.means;
  }
  return "its response was not that of a registry; Docker's own log has it";
}

}  // namespace mlprof::server::docker
