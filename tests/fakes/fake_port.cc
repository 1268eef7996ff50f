#include "tests/fakes/fake_port.h"

#include <utility>

namespace mlprof::server {

class FakePortStream final : public PortStream {
 public:
  explicit FakePortStream(std::shared_ptr<FakePorts::Connection> connection)
      : connection_(std::move(connection)) {}
  ~FakePortStream() override { Close(); }

  Result<std::string> Read(Deadline deadline) override {
    std::unique_lock lock(connection_->mutex);
    const auto told = [this] {
      return connection_->closed || !connection_->inbox.empty() || connection_->ended ||
             connection_->over;
    };
    while (!told() && !deadline.Passed()) {
      connection_->changed.wait_until(lock, deadline.when(), told);
    }
    if (connection_->closed) return Fail(Cancelled("closed here"));
    if (!connection_->inbox.empty()) return std::exchange(connection_->inbox, {});
    if (connection_->over) return Fail(*connection_->over);
    if (connection_->ended) return std::string();
    return Fail(DeadlineExceeded("nothing came in time"));
  }

  Status Write(std::string_view bytes, Deadline) override {
    const std::lock_guard lock(connection_->mutex);
    if (connection_->closed) return Fail(Cancelled("closed here"));
    if (connection_->over) return Fail(*connection_->over);
    if (connection_->ended) return Fail(InvalidArgument("written behind its end"));
    connection_->inbox += connection_->server(bytes);
    connection_->changed.notify_all();
    return {};
  }

  void CloseWrite() override { Set(&FakePorts::Connection::ended); }
  void Close() override { Set(&FakePorts::Connection::closed); }

 private:
  void Set(bool FakePorts::Connection::*flag) {
    const std::lock_guard lock(connection_->mutex);
    (*connection_).*flag = true;
    connection_->changed.notify_all();
  }

  const std::shared_ptr<FakePorts::Connection> connection_;
};

FakePorts::~FakePorts() { End(Unavailable("the connection to the agent was given up")); }

void FakePorts::Listen() {
  const std::lock_guard lock(mutex_);
  listening_ = true;
}

void FakePorts::End(const Error& why) {
  const std::lock_guard lock(mutex_);
  if (!over_) over_ = why;
  for (const auto& held : connections_) {
    const auto connection = held.lock();
    if (!connection) continue;
    const std::lock_guard theirs(connection->mutex);
    if (!connection->over) connection->over = why;
    connection->changed.notify_all();
  }
  connections_.clear();
}

Result<std::unique_ptr<PortStream>> FakePorts::Connect(int port) {
  const std::lock_guard lock(mutex_);
  if (port < 1 || port > 65535) return Fail(InvalidArgument("no port"));
  if (over_) return Fail(*over_);
  const auto server = servers_.find(port);
  if (!listening_ || server == servers_.end()) {
    return Fail(Unavailable("nothing listens on port " + std::to_string(port)));
  }
  auto connection = std::make_shared<Connection>();
  connection->server = server->second;
  connections_.push_back(connection);
  return std::make_unique<FakePortStream>(std::move(connection));
}

}  // namespace mlprof::server
