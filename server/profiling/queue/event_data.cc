#include "server/profiling/queue/event_data.h"

#include <algorithm>
#include <utility>

namespace mlprof::server {
namespace {

constexpr auto kLongest = static_cast<std::size_t>(kLongestEvent.count());
// Fits together with what is short, however much of it has to be escaped (6 bytes for 1).
constexpr std::size_t kKeptText = kLongest / 8;

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

void KeepEnd(std::string& text) {
  std::size_t from = text.size() - kKeptText;
  for (int more = 0; more < 3 && ContinuesCharacter(text[from]); ++more) ++from;
  text.erase(0, from);
}

void Shorten(Json& data) {
  const auto longest = std::max_element(data.begin(), data.end(), [](const Json& a, const Json& b) {
    return DumpJson(a).size() < DumpJson(b).size();
  });
  if (longest->is_string() && longest->get_ref<std::string&>().size() > kKeptText) {
    return KeepEnd(longest->get_ref<std::string&>());
  }
  data.erase(longest);
}

}  // namespace

std::string EventData(Json data) {
  std::string text = DumpJson(data);
  while (text.size() > kLongest && data.is_object() && !data.empty()) {
    Shorten(data);
    text = DumpJson(data);
  }
  return text;
}

}  // namespace mlprof::server
