#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "agent/supervise/launch.h"

namespace mlprof::agent {
namespace {

constexpr unsigned kThisMachine =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__aarch64__)
    EM_AARCH64;
#else
    EM_NONE;
#endif

std::string FileStart(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 256> bytes{};
  const ssize_t n = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  return n > 0 ? std::string(bytes.data(), static_cast<std::size_t>(n)) : std::string();
}

std::string Interpreter(const std::string& script) {
  const std::size_t begin = script.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return {};
  return script.substr(begin, script.find_first_of(" \t\r\n", begin) - begin);
}

bool IsElf(const std::string& start) { return start.compare(0, SELFMAG, ELFMAG) == 0; }

}  // namespace

std::string ExplainExecFailure(const std::string& path, int error) {
  const std::string why = path + ": " + std::strerror(error);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return why;
  if (S_ISDIR(status.st_mode)) return path + " is a directory";
  const std::string start = FileStart(path);
  if (error == ENOENT || error == EACCES || error == ELOOP) {
    if (start.starts_with("#!") && error == ENOENT) {
      const bool dos = start.substr(0, start.find('\n')).ends_with('\r');
      return path + ": its interpreter " + Interpreter(start) + " is not in the image" +
             (dos ? " (the line ends in CR LF)" : "");
    }
    if (IsElf(start) && error == ENOENT) {
      return path + ": the program loader it was linked for is not in the image";
    }
    if (error == EACCES && (status.st_mode & 0111) == 0) return path + " is not executable";
  }
  if (error == ENOEXEC) {
    if (IsElf(start) && start.size() >= sizeof(Elf64_Ehdr)) {
      std::uint16_t machine = 0;
      std::memcpy(&machine, start.data() + offsetof(Elf64_Ehdr, e_machine), sizeof(machine));
      if (machine != kThisMachine) return path + " was built for another kind of processor";
    }
    return path + " is neither a program nor a script that begins with #!";
  }
  return why;
}

}  // namespace mlprof::agent
