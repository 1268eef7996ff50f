#include "tests/targets/target/serve.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/targets/target/response.h"

namespace target {
namespace {

std::size_t ContentLength(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t at = head.find("\r\ncontent-length:");
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 17, nullptr, 10);
}

void Serve(int connection, Model& model) {
  std::string input;
  std::array<char, 65536> buffer;
  while (true) {
    const std::size_t head = input.find("\r\n\r\n");
    const std::size_t length = head == std::string::npos ? 0 : ContentLength(input.substr(0, head));
    if (head == std::string::npos || input.size() < head + 4 + length) {
      const ssize_t got = recv(connection, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      input.append(buffer.data(), static_cast<std::size_t>(got));
      continue;
    }
    Outcome ready;
    ready.body = "ready";
    const Outcome outcome =
        input.starts_with("GET ") ? ready : model.Respond(input.substr(head + 4, length));
    if (!SendResponse(connection, outcome)) break;
    input.erase(0, head + 4 + length);
  }
  close(connection);
}

}  // namespace

void AcceptForEver(int listener, const Options& options) {
  Model model(options);
  while (true) {
    const int connection = accept(listener, nullptr, nullptr);
    if (connection < 0) continue;
    const int yes = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    std::thread([connection, &model] { Serve(connection, model); }).detach();
  }
}

int Listen(int port) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, 128) != 0) {
    Refuse("cannot listen on port " + std::to_string(port));
  }
  return listener;
}

void Supervise(int listener, const Options& options) {
  int missing = options.workers;
  while (true) {
    for (; missing > 0; --missing) {
      const pid_t child = fork();
      if (child < 0) Refuse("fork");
      if (child == 0) AcceptForEver(listener, options);
    }
    if (wait(nullptr) > 0) ++missing;
  }
}

}  // namespace target
