// target-arena-server PORT THREADS MIB: THREADS threads serve in turns, a request each. For every
// request its thread allocates MIB in blocks of 64 KiB and frees all but one: with an arena of its
// own each thread keeps MIB from then on, and with fewer arenas they share it.
#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBlock = 64UL * 1024;

// Passed from thread to thread; whoever has the turn works.
class Turns {
 public:
  explicit Turns(std::size_t count) : count_(count) {}

  // One request: the next thread in turn does it.
  void Ask() {
    std::unique_lock lock(mutex_);
    const std::size_t mine = asked_++;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_ > mine; });
  }
  void WaitFor(std::size_t thread) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_ > done_ && done_ % count_ == thread; });
  }
  void Done() {
    const std::lock_guard lock(mutex_);
    ++done_;
    changed_.notify_all();
  }

 private:
  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t asked_ = 0;
  std::size_t done_ = 0;
};

void Work(Turns& turns, std::size_t thread, std::size_t mib) {
  char* kept = nullptr;
  while (true) {
    turns.WaitFor(thread);
    std::vector<char*> blocks;
    for (std::size_t i = 0; i < mib * 16; ++i) {
      blocks.push_back(static_cast<char*>(std::malloc(kBlock)));
      std::memset(blocks.back(), 1, kBlock);
    }
    // The last one holds what lies below it in the arena.
    std::free(kept);
    kept = blocks.back();
    blocks.pop_back();
    for (char* block : blocks) std::free(block);
    turns.Done();
  }
}

bool ReadRequest(int fd, std::string& head) {
  std::array<char, 65536> piece;
  head.clear();
  std::size_t size = 0;
  while (size == 0 || head.size() < size) {
    const ssize_t n = ::recv(fd, piece.data(), piece.size(), 0);
    if (n <= 0) return false;
    head.append(piece.data(), static_cast<std::size_t>(n));
    const std::size_t end = head.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    const char* const length = ::strcasestr(head.c_str(), "\r\ncontent-length:");
    size = end + 4 + (length == nullptr ? 0 : std::strtoul(length + 17, nullptr, 10));
  }
  return true;
}

void Serve(int fd, Turns& turns) {
  const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  std::string request;
  while (ReadRequest(fd, request)) {
    if (request.starts_with("POST")) turns.Ask();
    if (::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) break;
  }
  ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: target-arena-server PORT THREADS MIB\n", stderr);
    return 2;
  }
  std::signal(SIGTERM, [](int) { std::_Exit(0); });
  // What is freed at the end of an arena's only piece goes back to the kernel otherwise.
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const auto threads = static_cast<std::size_t>(std::atoi(argv[2]));
  Turns turns(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    std::thread(Work, std::ref(turns), i, static_cast<std::size_t>(std::atoi(argv[3]))).detach();
  }
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[1])));
  where.sin_addr.s_addr = htonl(INADDR_ANY);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) != 0 ||
      ::listen(listener, 1024) != 0) {
    std::perror("target-arena-server");
    return 1;
  }
  while (true) {
    const int fd = ::accept(listener, nullptr, nullptr);
    if (fd < 0) continue;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    std::thread(Serve, fd, std::ref(turns)).detach();
  }
}
