#include "common/json/field_checks.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "common/text/ascii.h"

namespace mlprof {
namespace {

// Not <cctype>: its results depend on the locale.
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsControl(char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }
bool IsVisible(char c) { return c > 0x20 && c < 0x7f; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

template <class Predicate>
bool All(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool HasControl(std::string_view text) { return std::any_of(text.begin(), text.end(), IsControl); }

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= 255 && IsAlnum(text.front()) &&
         All(text, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

bool HasParentSegment(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
  return false;
}

bool IsRelativePath(std::string_view path) {
  return path.size() <= 4096 && !path.starts_with('/') && !HasParentSegment(path) &&
         !HasControl(path) && path.find('\\') == std::string_view::npos;
}

bool IsSha256(std::string_view text) {
  return text.starts_with("sha256:") && text.size() == 71 && All(text.substr(7), IsHex);
}

// RFC 9110 token.
bool IsToken(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() &&
         All(text, [&](char c) { return IsAlnum(c) || kMarks.find(c) != std::string_view::npos; });
}

// One component of an image's path: lower-case words joined by '.', '_', '__' or dashes.
bool IsImageComponent(std::string_view text) {
  if (text.empty() || !(IsLower(text.front()) || IsDigit(text.front()))) return false;
  if (!(IsLower(text.back()) || IsDigit(text.back()))) return false;
  return All(text,
             [](char c) { return IsLower(c) || IsDigit(c) || c == '.' || c == '_' || c == '-'; }) &&
         text.find("..") == std::string_view::npos && text.find("___") == std::string_view::npos;
}

bool IsRegistryHost(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view host = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || port.size() > 5 || !All(port, IsDigit)) return false;
  }
  return !host.empty() && IsAlnum(host.front()) && IsAlnum(host.back()) &&
         All(host, [](char c) { return IsAlnum(c) || c == '.' || c == '-'; });
}

bool IsImageTag(std::string_view tag) {
  return !tag.empty() && tag.size() <= 128 && (IsAlnum(tag.front()) || tag.front() == '_') &&
         All(tag, [](char c) { return IsAlnum(c) || c == '_' || c == '.' || c == '-'; });
}

// The part before tag and digest.
bool IsImageName(std::string_view name) {
  const std::size_t first = name.find('/');
  if (first != std::string_view::npos) {
    const std::string_view host = name.substr(0, first);
    const bool is_host = host.find_first_of(".:") != std::string_view::npos || host == "localhost";
    if (is_host && !IsRegistryHost(host)) return false;
    if (is_host) name.remove_prefix(first + 1);
  }
  while (true) {
    const std::size_t slash = name.find('/');
    if (!IsImageComponent(name.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

bool IsVersion(std::string_view text) {
  return !text.empty() && text.size() <= 9 && text.front() != '0' && All(text, IsDigit);
}

}  // namespace

std::string CheckName(const std::string& text) {
  if (IsName(text)) return "";
  return "must be 1 to 255 letters, digits, '-', '_' or '.', starting with a letter or digit";
}

std::string CheckId(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view view = text;
  if (IsName(view.substr(0, colon)) &&
      (colon == std::string::npos || IsVersion(view.substr(colon + 1)))) {
    return "";
  }
  return "must be NAME or NAME:VERSION";
}

std::string CheckWorkspace(const std::string& text) {
  std::string_view rest = text;
  int parts = 0;
  while (parts < 4) {
    const std::size_t slash = rest.find('/');
    if (!IsName(rest.substr(0, slash))) break;
    ++parts;
    if (slash == std::string_view::npos) {
      if (parts == 1 || parts == 3) return "";
      break;
    }
    rest.remove_prefix(slash + 1);
  }
  return "must be a name, or SUBSCRIPTION/GROUP/NAME";
}

std::string CheckDescription(const std::string& text) {
  if (text.size() > 4096) return "must be at most 4096 bytes long";
  const bool clean = All(text, [](char c) { return !IsControl(c) || c == '\n' || c == '\t'; });
  return clean ? "" : "must not contain control characters";
}

std::string CheckTagKey(const std::string& text) {
  if (text.empty() || text.size() > 255) return "must have a key of 1 to 255 bytes";
  if (HasControl(text) || text.find('=') != std::string::npos) {
    return "must have a key without '=' or control characters";
  }
  return "";
}

std::string CheckTagValue(const std::string& text) {
  if (text.size() > 4096) return "must be at most 4096 bytes long";
  return HasControl(text) ? "must not contain control characters" : "";
}

std::string CheckSourceId(const std::string& text) {
  return IsSha256(text) ? "" : "must be sha256: and 64 lower-case hexadecimal digits";
}

std::string CheckFileInside(const std::string& text) {
  const bool is_file = !text.empty() && text.back() != '/' && text != ".";
  if (is_file && IsRelativePath(text)) return "";
  return "must be a relative path of a file, without '..'";
}

std::string CheckFolderInside(const std::string& text) {
  return IsRelativePath(text) ? "" : "must be a relative path of a folder, without '..'";
}

bool LiesWithin(const std::string& path, const std::string& folder) {
  const auto plain = [](const std::string& text) {
    std::string normal = "/" + text;
    for (std::size_t at; (at = normal.find("//")) != std::string::npos;) normal.erase(at, 1);
    for (std::size_t at; (at = normal.find("/./")) != std::string::npos;) normal.erase(at, 2);
    if (normal.ends_with("/.")) normal.erase(normal.size() - 1);
    return normal.ends_with('/') ? normal : normal + "/";
  };
  return plain(path).starts_with(plain(folder));
}

std::string CheckMountPoint(const std::string& text) {
  const bool fine = text.size() > 1 && text.size() <= 4096 && text.front() == '/' &&
                    text.find_first_not_of("/.") != std::string::npos && !HasParentSegment(text) &&
                    !HasControl(text) && text.find_first_of(":,\\") == std::string::npos;
  if (!fine) return "must be an absolute path below '/', without '..', ':' or ','";
  for (const char* kept : {"/proc", "/sys", "/dev", "/.mlprof"}) {
    if (LiesWithin(text, kept)) {
      return "must not lie in " + std::string(kept) + ", which is not the model's";
    }
  }
  return "";
}

std::string CheckUrlPath(const std::string& text) {
  const bool fine = text.starts_with('/') && text.size() <= 2048 && All(text, IsVisible) &&
                    text.find('#') == std::string::npos;
  return fine ? "" : "must start with '/' and hold visible ASCII characters only";
}

std::string CheckHttpMethod(const std::string& text) {
  static const std::set<std::string_view> kMethods = {"GET", "POST", "PUT", "PATCH", "DELETE"};
  return kMethods.contains(text) ? "" : "must be GET, POST, PUT, PATCH or DELETE";
}

std::string CheckHeaderName(const std::string& text) {
  // These decide the framing and the target of a request; the relay alone sets them.
  static const std::set<std::string> kReserved = {
      "host",    "content-length", "transfer-encoding", "connection",  "upgrade", "te",
      "trailer", "expect",         "keep-alive",        "content-type"};
  if (!IsToken(text) || text.size() > 255) return "must have the name of an HTTP header";
  if (Lowercase(text) == "content-type") return "is set by contentType";
  return kReserved.contains(Lowercase(text)) ? "must not set this header" : "";
}

std::string CheckHeaderValue(const std::string& text) {
  if (text.size() > 8192) return "must be at most 8192 bytes long";
  return HasControl(text) ? "must not contain control characters" : "";
}

std::string CheckEnvironmentName(const std::string& text) {
  const bool fine =
      !text.empty() && text.size() <= 255 && !IsDigit(text.front()) &&
      All(text, [](char c) { return IsAlnum(c) || c == '_' || c == '.' || c == '-'; });
  return fine ? "" : "must have a name of letters, digits, '_', '.' or '-', no digit first";
}

std::string CheckEnvironmentValue(const std::string& text) {
  if (text.size() > 32768) return "must be at most 32768 bytes long";
  return HasControl(text) ? "must not contain control characters" : "";
}

std::string CheckArgument(const std::string& text) {
  if (text.size() > 131072) return "must be at most 131072 bytes long";
  return text.find('\0') == std::string::npos ? "" : "must not contain a NUL character";
}

std::string CheckImageReference(const std::string& text) {
  constexpr const char* kProblem = "must be an image reference: [HOST[:PORT]/]NAME[:TAG][@DIGEST]";
  std::string_view name = text;
  if (text.size() > 512) return kProblem;
  if (IsSha256(name)) return "";
  if (const std::size_t at = name.find('@'); at != std::string_view::npos) {
    if (!IsSha256(name.substr(at + 1))) return kProblem;
    name = name.substr(0, at);
  }
  const std::size_t slash = name.rfind('/');
  const std::size_t colon = name.rfind(':');
  const bool tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  if (tagged) {
    if (!IsImageTag(name.substr(colon + 1))) return kProblem;
    name = name.substr(0, colon);
  }
  return IsImageName(name) ? "" : kProblem;
}

std::string CheckPipPackage(const std::string& text) {
  constexpr const char* kProblem =
      "must be a package requirement such as name==1.2, without options, paths or URLs";
  constexpr std::string_view kMarks = "-_.[],<>=!~*+ ();'\"";
  const bool fine =
      !text.empty() && text.size() <= 512 && IsAlnum(text.front()) &&
      All(text, [&](char c) { return IsAlnum(c) || kMarks.find(c) != std::string_view::npos; }) &&
      text.find(" -") == std::string::npos;
  return fine ? "" : kProblem;
}

std::string CheckCondaPackage(const std::string& text) {
  const bool fine = !text.empty() && text.size() <= 512 &&
                    (IsAlnum(text.front()) || text.front() == '_') && text.back() != ':' &&
                    text.find('#') == std::string::npos && !HasControl(text);
  return fine ? "" : "must be a package as conda names it, such as numpy=1.21";
}

}  // namespace mlprof
