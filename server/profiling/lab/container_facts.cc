#include "server/profiling/lab/container_facts.h"

namespace mlprof::server {

void ContainerLogs::Add(int container, std::string_view log) {
  if (log.empty()) return;
  text_ += "--- container " + std::to_string(container) + "\n";
  text_ += log;
  if (!text_.ends_with('\n')) text_ += '\n';
  const auto most = static_cast<std::size_t>(most_.count());
  if (text_.size() <= most) return;
  std::size_t cut = text_.size() - most;
  // The last line end is no beginning of a line.
  if (const std::size_t end = text_.find('\n', cut - 1); end + 1 < text_.size()) cut = end + 1;
  text_.erase(0, cut);
  left_out_ += Bytes(static_cast<std::int64_t>(cut));
}

std::string ContainerLogs::Text() const {
  if (left_out_ == Bytes(0)) return text_;
  return "--- the first " + std::to_string(left_out_.count()) + " bytes are left out\n" + text_;
}

}  // namespace mlprof::server
