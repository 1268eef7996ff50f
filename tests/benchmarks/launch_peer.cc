// bench-launch-peer PATH connects to a Unix socket and echoes every byte: the least that a
// container can do to answer.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace {

int Connect(const char* path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;
  char byte = 0;
  while (::read(fd, &byte, 1) == 1 && ::write(fd, &byte, 1) == 1) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  return argc == 2 ? Connect(argv[1]) : 2;
}
