#include "agent/supervise/process_names.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "common/os/unique_fd.h"

namespace mlprof::agent {

void ProcessNames::Learn(const std::set<pid_t>& present) {
  std::erase_if(names_, [&](const auto& known) { return !present.contains(known.first); });
  for (const pid_t pid : present) {
    const auto [known, is_new] = names_.try_emplace(pid);
    if (known->second.settled) continue;
    known->second = {Read(pid), !is_new};
  }
}

void ProcessNames::LearnEnded(pid_t pid) {
  std::string name = Read(pid);
  if (!name.empty()) names_[pid] = {std::move(name), true};
}

std::string ProcessNames::Of(pid_t pid) const {
  const auto known = names_.find(pid);
  return known == names_.end() ? "" : known->second.name;
}

std::string ProcessNames::Take(pid_t pid) {
  auto taken = names_.extract(pid);
  return taken.empty() ? "" : std::move(taken.mapped().name);
}

std::string ProcessNames::Read(pid_t pid) const {
  const std::string path = proc_ + "/" + std::to_string(pid) + "/comm";
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const ssize_t n = file ? ::read(file.get(), text.data(), text.size()) : 0;
  std::string name(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

}  // namespace mlprof::agent
