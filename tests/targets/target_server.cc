// An HTTP server whose needs are known exactly, for tests: what it costs stands in its arguments
// and in each request's body.
//
//   target_server [--port N] [--start-ms N] [--start-mib N] [--workers N] [--needs-root]
//                 [--write-dir DIR]
//
//   --start-ms N      burns N ms of CPU before it listens
//   --start-mib N     keeps N MiB from the start
//   --workers N       forks N workers that share the listening socket; a dead one is replaced
//   --needs-root      refuses any uid but 0, hands a folder to uid 101 and serves as 101
//   --write-dir DIR   writes DIR/started before it listens, and fails without it
//
// A body is words, done in order: burn=MS (thread CPU time), alloc=MIB (touched, then freed),
// keep=MIB (touched, kept), sleep=MS, write (appends to DIR/rows), status=CODE, die. Other words do
// nothing. The answer repeats the CPU time spent. GET answers 200.
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace {

constexpr uid_t kServingUid = 101;
constexpr std::size_t kPage = 4096;

struct Options {
  int port = 8080;
  int start_ms = 0;
  int start_mib = 0;
  int workers = 0;
  bool needs_root = false;
  std::string write_dir;
};

[[noreturn]] void Refuse(const std::string& why) {
  std::fprintf(stderr, "target_server: %s: %s\n", why.c_str(), std::strerror(errno));
  std::exit(1);
}

std::int64_t ThreadCpuNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

void Burn(int milliseconds) {
  const std::int64_t end = ThreadCpuNanoseconds() + milliseconds * std::int64_t{1'000'000};
  while (ThreadCpuNanoseconds() < end) {
  }
}

/// Maps `mib` MiB and writes to every page. mmap gives it back whole, where malloc might not.
char* Touch(int mib, std::size_t* size) {
  *size = static_cast<std::size_t>(mib) << 20;
  if (*size == 0) return nullptr;
  void* const memory =
      mmap(nullptr, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) Refuse("mmap");
  char* const bytes = static_cast<char*>(memory);
  for (std::size_t at = 0; at < *size; at += kPage) bytes[at] = 1;
  return bytes;
}

bool Append(const std::string& path, std::string_view text) {
  std::FILE* const file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

struct Outcome {
  int status = 200;
  std::string body;
};

Outcome Perform(const std::string& request, const Options& options) {
  const std::int64_t began = ThreadCpuNanoseconds();
  Outcome outcome;
  std::istringstream words(request);
  std::string word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const int amount = equals == std::string::npos ? 0 : std::atoi(word.c_str() + equals + 1);
    std::size_t size = 0;
    if (name == "burn") Burn(amount);
    if (name == "sleep") std::this_thread::sleep_for(std::chrono::milliseconds(amount));
    if (name == "keep") Touch(amount, &size);
    if (name == "status") outcome.status = amount;
    if (name == "die") std::abort();
    if (name == "alloc") {
      char* const memory = Touch(amount, &size);
      if (memory != nullptr) munmap(memory, size);
    }
    if (name == "write" && !Append(options.write_dir + "/rows", "row\n")) {
      outcome.status = 500;
      outcome.body = std::string("cannot write: ") + std::strerror(errno);
    }
  }
  if (outcome.body.empty()) {
    outcome.body = "{\"cpuNanoseconds\":" + std::to_string(ThreadCpuNanoseconds() - began) + "}";
  }
  return outcome;
}

bool SendAll(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t ContentLength(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t at = head.find("\r\ncontent-length:");
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 17, nullptr, 10);
}

void Serve(int connection, const Options& options) {
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
    const Outcome outcome = input.starts_with("GET ")
                                ? Outcome{200, "ready"}
                                : Perform(input.substr(head + 4, length), options);
    const std::string answer = "HTTP/1.1 " + std::to_string(outcome.status) +
                               " Answer\r\nContent-Length: " + std::to_string(outcome.body.size()) +
                               "\r\n\r\n" + outcome.body;
    if (!SendAll(connection, answer)) break;
    input.erase(0, head + 4 + length);
  }
  close(connection);
}

[[noreturn]] void AcceptForEver(int listener, const Options& options) {
  while (true) {
    const int connection = accept(listener, nullptr, nullptr);
    if (connection >= 0) {
      std::thread([connection, options] { Serve(connection, options); }).detach();
    }
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

/// Keeps `options.workers` children serving, as a pre-forking server does.
[[noreturn]] void Supervise(int listener, const Options& options) {
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

/// What an image like nginx's does: a folder for the serving user, then away from root.
void BecomeServingUser() {
  if (getuid() != 0) {
    std::fprintf(stderr, "target_server: must be started as root, not as uid %u\n", getuid());
    std::exit(1);
  }
  mkdir("/tmp/target", 0700);
  if (chown("/tmp/target", kServingUid, kServingUid) != 0) Refuse("chown /tmp/target");
  if (setgid(kServingUid) != 0 || setuid(kServingUid) != 0) Refuse("setuid");
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--needs-root") {
      options.needs_root = true;
      continue;
    }
    if (i + 1 == argc) Refuse("no value for " + name);
    const char* const value = argv[++i];
    if (name == "--port")
      options.port = std::atoi(value);
    else if (name == "--start-ms")
      options.start_ms = std::atoi(value);
    else if (name == "--start-mib")
      options.start_mib = std::atoi(value);
    else if (name == "--workers")
      options.workers = std::atoi(value);
    else if (name == "--write-dir")
      options.write_dir = value;
    else
      Refuse("unknown option " + name);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  std::signal(SIGTERM, [](int) { _exit(0); });
  Burn(options.start_ms);
  std::size_t kept = 0;
  Touch(options.start_mib, &kept);
  if (!options.write_dir.empty() && !Append(options.write_dir + "/started", "started\n")) {
    Refuse("cannot write to " + options.write_dir);
  }
  const int listener = Listen(options.port);
  if (options.needs_root) BecomeServingUser();
  if (options.workers > 0) Supervise(listener, options);
  AcceptForEver(listener, options);
}
