// disk_flood MODE FOLDER: a model that never serves, but writes to FOLDER until nothing more fits.
//   unlinked  a file that no folder holds any more
//   deep      a file below a path that is longer than any path may be
//   files     a million of them, empty
//   plain     a file of 300 MiB; then it waits
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr long long kMost = 4LL << 30;

int Told(const char* what) {
  std::printf("%s: %s\n", what, std::strerror(errno));
  return 3;
}

int Write(int file, long long most) {
  const std::vector<char> piece(1 << 20, 'x');
  for (long long written = 0; written < most;) {
    const ssize_t count = write(file, piece.data(), piece.size());
    if (count <= 0) return Told("write");
    written += count;
  }
  std::puts("wrote it all");
  return 0;
}

int WriteDeep() {
  const std::string name(200, 'd');
  for (int level = 0; level < 40; ++level) {
    if (mkdir(name.c_str(), 0755) != 0 || chdir(name.c_str()) != 0) return Told("mkdir");
  }
  return Write(open("f", O_CREAT | O_WRONLY, 0600), kMost);
}

int MakeFiles() {
  for (int i = 0; i < 1'000'000; ++i) {
    if (mknod(std::to_string(i).c_str(), S_IFREG | 0600, 0) != 0) return Told("mknod");
  }
  std::puts("made them all");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const std::string mode(argv[1]);
  if (mode == "plain") {
    const int file = open((std::string(argv[2]) + "/f").c_str(), O_CREAT | O_WRONLY, 0600);
    if (file < 0) return Told("open");
    Write(file, 300LL << 20);
    sleep(60);
    return 0;
  }
  if (chdir(argv[2]) != 0) return Told("chdir");
  if (mode == "deep") return WriteDeep();
  if (mode == "files") return MakeFiles();
  const int file = open("f", O_CREAT | O_WRONLY, 0600);
  if (file < 0) return Told("open");
  unlink("f");
  return Write(file, kMost);
}
