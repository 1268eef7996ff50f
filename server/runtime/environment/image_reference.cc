#include "server/runtime/environment/image_reference.h"

#include <algorithm>

#include "common/text/ascii.h"
#include "server/runtime/environment/text_lines.h"

namespace mlprof::server::environment {
namespace {

constexpr std::size_t kLongest = 512;

bool IsDigest(std::string_view text) {
  constexpr std::string_view kScheme = "sha256:";
  return text.substr(0, kScheme.size()) == kScheme && text.size() == kScheme.size() + 64 &&
         text.find_first_not_of("0123456789abcdef", kScheme.size()) == std::string_view::npos;
}

bool IsRepository(std::string_view text) {
  if (text.empty() || !ConsistsOfAlnumOr(text, "._-/:")) return false;
  if (text.front() == '/' || text.back() == '/' || text.front() == '-' || text.front() == '.') {
    return false;
  }
  if (text.find("//") != std::string_view::npos || text.find("..") != std::string_view::npos) {
    return false;
  }
  // A port, and so a colon, can only be in the registry's name.
  const std::size_t colon = text.find(':');
  const std::size_t slash = text.find('/');
  return colon == std::string_view::npos || (slash != std::string_view::npos && colon < slash);
}

}  // namespace

Result<ImageReference> ParseImageReference(std::string_view text) {
  const auto refuse = [&] {
    return Fail(InvalidArgument("'" + std::string(text.substr(0, 100)) +
                                "' is not the name of an image (REPOSITORY[:TAG])"));
  };
  if (text.empty() || text.size() > kLongest) return refuse();
  if (IsDigest(text)) return ImageReference{"", std::string(text)};
  ImageReference reference;
  std::string_view repository = text;
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    if (!IsDigest(text.substr(at + 1))) return refuse();
    reference.tag = text.substr(at + 1);
    repository = text.substr(0, at);
  }
  const std::size_t colon = repository.rfind(':');
  const std::size_t slash = repository.rfind('/');
  const bool has_tag =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  if (has_tag) {
    const std::string_view tag = repository.substr(colon + 1);
    if (tag.empty() || !ConsistsOfAlnumOr(tag, "._-") || tag.size() > 128) return refuse();
    if (reference.tag.empty()) reference.tag = tag;
    repository = repository.substr(0, colon);
  }
  if (!IsRepository(repository)) return refuse();
  if (reference.tag.empty()) reference.tag = "latest";
  reference.repository = repository;
  return reference;
}

// As the engine reads it: the part before the first slash, if it looks like a host.
std::string RegistryOf(std::string_view repository) {
  const std::size_t slash = repository.find('/');
  if (slash == std::string_view::npos) return "";
  const std::string host(repository.substr(0, slash));
  const bool has_capitals = host != Lowercase(host);
  const bool is_host =
      host.find_first_of(".:") != std::string::npos || host == "localhost" || has_capitals;
  if (!is_host) return "";
  return Lowercase(host);
}

bool MayPullFrom(const std::string& registry, const std::vector<std::string>& allowed) {
  if (registry.empty()) return true;
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) {
    return one == "*" || EqualsIgnoringCase(one, registry);
  });
}

}  // namespace mlprof::server::environment
