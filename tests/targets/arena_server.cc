// target-arena-server PORT THREADS MIB: THREADS threads serve in turns, a request each. For every
// request its thread allocates MIB in blocks of 64 KiB and frees all but one: with an arena of its
// own each thread keeps MIB from then on, and with fewer arenas they share it.
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

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

#include "tests/targets/plain_http.h"

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

void Serve(int fd, Turns& turns) {
  const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  std::string request;
  while (const std::size_t size = ReadRequest(fd, request)) {
    if (request.starts_with("POST")) turns.Ask();
    request.erase(0, size);
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
  return ServeConnections("target-arena-server", INADDR_ANY, std::atoi(argv[1]),
                          [&turns](int fd) { Serve(fd, turns); });
}
