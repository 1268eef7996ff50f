#include "server/runtime/process/placed_start.h"

#include <string_view>

namespace mlprof::server::process {
namespace {

// Whether a path may begin or go on there: "/tmp" in "PATH=/tmp/x:/tmp", not in "/var/tmp" or
// "/tmpfiles".
bool EndsPath(std::string_view text, std::size_t at) {
  constexpr std::string_view kWithin =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789_-.";
  return at >= text.size() || kWithin.find(text[at]) == std::string_view::npos;
}

bool BeginsPath(std::string_view text, std::size_t at) {
  return at == 0 || (EndsPath(text, at - 1) && text[at - 1] != '/');
}

void Place(std::string& text, const StartPlacement& placement) {
  std::string placed;
  for (std::size_t at = 0; at < text.size();) {
    bool found = false;
    for (const auto& [from, to] : placement.places) {
      if (text.compare(at, from.size(), from) != 0 || !BeginsPath(text, at) ||
          !EndsPath(text, at + from.size())) {
        continue;
      }
      placed += to;
      at += from.size();
      found = true;
      break;
    }
    if (!found) placed += text[at++];
  }
  text = std::move(placed);
}

}  // namespace

agent_protocol::Start PlacedStart(agent_protocol::Start start, const StartPlacement& placement) {
  for (std::string& word : start.command) Place(word, placement);
  for (auto& [name, value] : start.environment) Place(value, placement);
  Place(start.working_directory, placement);
  const auto tmpdir = start.environment.find("TMPDIR");
  const bool theirs = tmpdir != start.environment.end() && tmpdir->second == "/tmp";
  if (theirs && !placement.temporary.empty()) tmpdir->second = placement.temporary;
  // A container is shown no GPU but its own; a process sees all of the machine's, and this alone
  // keeps it to those that it was given.
  start.environment["CUDA_VISIBLE_DEVICES"] = placement.gpus;
  if (placement.port) {
    const std::string before = std::to_string(start.port);
    for (std::string& word : start.command) {
      if (word == before) word = std::to_string(*placement.port);
    }
    start.port = *placement.port;
  }
  if (start.drop_cache.empty()) return start;
  for (std::string& folder : start.drop_cache) Place(folder, placement);
  start.drop_cache.insert(start.drop_cache.end(), placement.more_to_forget.begin(),
                          placement.more_to_forget.end());
  return start;
}

}  // namespace mlprof::server::process
