#include "tests/fakes/metric_service_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace mlprof::fakes {
namespace {

void ServeOne(int client, const std::function<void(FakeMetricService&)>& load) {
  FakeMetricService service;
  load(service);
  const auto connection = service.NewConnection();
  std::array<char, 4096> piece;
  while (true) {
    const ssize_t size = ::recv(client, piece.data(), piece.size(), 0);
    if (size <= 0) break;
    const std::string out = connection({piece.data(), static_cast<std::size_t>(size)});
    if (::send(client, out.data(), out.size(), MSG_NOSIGNAL) < 0) break;
  }
  ::close(client);
}

}  // namespace

int ListenForMetrics(int port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener, 16) != 0) {
    std::perror("the metric service cannot listen");
    std::exit(1);
  }
  return listener;
}

void ServeMetrics(int listener, const std::function<void(FakeMetricService&)>& load) {
  while (true) {
    const int client = ::accept(listener, nullptr, nullptr);
    if (client >= 0) std::thread(ServeOne, client, load).detach();
  }
}

}  // namespace mlprof::fakes
