#include "client/include/mlprof/client.h"

#include "client/src/connection.h"

namespace mlprof {

Client::Client(std::unique_ptr<RestTransport> transport, std::string workspace)
    : connection_(std::make_unique<Connection>(std::move(transport), std::move(workspace))) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Status Client::Health() { return StatusOf(connection_->Call("GET", Target("/healthz"))); }
Status Client::Readiness() { return StatusOf(connection_->Call("GET", Target("/readyz"))); }

}  // namespace mlprof
