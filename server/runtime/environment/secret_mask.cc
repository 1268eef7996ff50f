#include "server/runtime/environment/secret_mask.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "common/text/base64.h"
#include "common/text/percent.h"

namespace mlprof::server::environment {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kAuthorityMark = "://";
// Shorter secrets occur in half of all words: they are masked only next to their user's name.
constexpr std::size_t kShortestSecret = 4;
constexpr std::size_t kShortestUnrelated = 6;  // "admin" as the password of some database
constexpr std::size_t kLongestLogin = 1024;
constexpr std::string_view kEndsAuthority = "/?# \t\r\n\"'`<>\\";

// How much of the beginning of a text is a secret, each of whose characters may be percent-encoded;
// 0: none of it.
struct Match {
  std::size_t length = 0;
  bool undecided = false;  // the text ends within what may be the secret
};

Match MatchEncoded(std::string_view text, std::string_view wanted) {
  constexpr std::size_t kEscape = 3;
  const unsigned char c = static_cast<unsigned char>(wanted.front());
  for (std::size_t i = 1; i < kEscape; ++i) {
    if (i == text.size()) return {0, true};
    if (std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return {};
  }
  unsigned value = 0;
  std::from_chars(text.data() + 1, text.data() + kEscape, value, 16);
  return value == c ? Match{kEscape, false} : Match{};
}

Match MatchSecret(std::string_view text, std::string_view secret) {
  std::size_t length = 0;
  while (!secret.empty()) {
    const std::string_view rest = text.substr(length);
    if (rest.empty()) return {0, true};
    const bool plain = rest.front() == secret.front();
    const bool encoded = rest.front() == '%' &&
                         (!plain || (rest.substr(0, 3) == "%25" && secret.substr(0, 3) != "%25"));
    if (!plain && !encoded) return {};
    const Match one = encoded ? MatchEncoded(rest, secret) : Match{1, false};
    if (one.length == 0) return one;
    length += one.length;
    secret.remove_prefix(1);
  }
  return {length, false};
}

// The login of a URL whose authority `text` begins with; its '@' is not part of it.
Match MatchLogin(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(kEndsAuthority), text.size());
  const std::size_t at = text.substr(0, end).rfind('@');
  const bool open = end == text.size() && end < kLongestLogin;
  return {at == std::string_view::npos ? 0 : at, open};
}

std::string Decoded(std::string_view text) {
  return PercentDecode(text).value_or(std::string(text));
}

bool IsPort(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return text.empty() || (error == std::errc() && end == text.data() + text.size());
}

// The login is what stands before the last '@' of the authority. An unencoded '/' in a password
// makes the authority seem to end there; then what seems to be the port is no number, and the login
// ends at the last '@' of the whole URL.
std::string_view LoginOf(std::string_view url) {
  const std::size_t mark = url.find(kAuthorityMark);
  if (mark != std::string_view::npos) url.remove_prefix(mark + kAuthorityMark.size());
  const std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) return url.substr(0, at);
  const std::size_t colon = authority.find(':');
  const bool bracket = authority.starts_with('[');
  if (bracket || colon == std::string_view::npos || IsPort(authority.substr(colon + 1))) return {};
  const std::size_t at = url.rfind('@');
  return at == std::string_view::npos ? std::string_view() : url.substr(0, at);
}

struct Login {
  std::string_view user;
  std::string_view password;
};

Login LoginIn(std::string_view url) {
  const std::string_view login = LoginOf(url);
  const std::size_t colon = login.find(':');
  if (colon == std::string_view::npos) return {login, {}};
  return {login.substr(0, colon), login.substr(colon + 1)};
}

void ForEachUrl(std::string_view text, const std::function<void(std::string_view)>& visit) {
  for (std::size_t mark = text.find(kAuthorityMark); mark != std::string_view::npos;
       mark = text.find(kAuthorityMark, mark + 1)) {
    const std::string_view rest = text.substr(mark);
    visit(rest.substr(0, rest.find_first_of(" \t\r\n\"'`<>\\;")));
  }
}

}  // namespace

void SecretMask::Add(std::string_view secret) {
  if (std::find(secrets_.begin(), secrets_.end(), secret) != secrets_.end()) return;
  secrets_.emplace_back(secret);
  std::stable_sort(secrets_.begin(), secrets_.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

void SecretMask::AddSpelling(const std::string& user, const std::string& password,
                             std::size_t shortest) {
  if (user.empty() && password.size() < shortest) return;
  const std::string login = user + ":" + password;
  std::string encoded = EncodeBase64(login);
  while (encoded.ends_with('=')) encoded.pop_back();
  Add(encoded);
  if (!password.empty()) Add(login);
  const std::string& secret = password.empty() ? user : password;
  if (secret.size() >= shortest) Add(secret);
}

void SecretMask::AddLogin(std::string_view user, std::string_view password) {
  if (user.empty() && password.empty()) return;
  AddSpelling(std::string(user), std::string(password), kShortestSecret);
  AddSpelling(Decoded(user), Decoded(password), kShortestSecret);
}

void SecretMask::AddUrl(std::string_view url) {
  const Login login = LoginIn(url);
  AddLogin(login.user, login.password);
  const std::size_t query = url.find('?');
  if (query == std::string_view::npos) return;
  const std::string_view asked = url.substr(query + 1, url.find('#', query) - query - 1);
  if (asked.size() >= kShortestSecret) Add(asked);
}

void SecretMask::AddUrlsIn(std::string_view text) {
  ForEachUrl(text, [this](std::string_view url) { AddUrl(url); });
}

void SecretMask::AddPasswordsIn(std::string_view text) {
  ForEachUrl(text, [this](std::string_view url) {
    const Login login = LoginIn(url);
    if (login.password.empty()) return;
    AddSpelling(std::string(login.user), std::string(login.password), kShortestUnrelated);
    AddSpelling(Decoded(login.user), Decoded(login.password), kShortestUnrelated);
  });
}

void SecretMask::AddNetrcIn(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string login;
  for (std::string word; words >> word;) {
    if (word == "machine") login.clear();
    if (word == "login") words >> login;
    if (word == "password" && words >> word) AddLogin(login, word);
  }
}

SecretMask::Found SecretMask::FindAt(std::string_view text) const {
  bool undecided = false;
  for (const std::string& secret : secrets_) {
    const Match match = MatchSecret(text, secret);
    // Secrets are tried from the longest on: only if no longer one may still begin here is it this.
    if (match.length > 0 && !undecided) return {match.length, kMask, false};
    undecided = undecided || match.undecided;
  }
  if (undecided) return {0, {}, true};
  const std::string_view begin = text.substr(0, kAuthorityMark.size());
  if (begin != kAuthorityMark.substr(0, begin.size())) return {};
  if (begin.size() < kAuthorityMark.size()) return {0, {}, true};
  const Match login = MatchLogin(text.substr(begin.size()));
  if (login.undecided) return {0, {}, true};
  if (login.length == 0) return {};
  return {begin.size() + login.length, "://***", false};
}

std::string SecretMask::TakeMasked(std::string& text, bool last) const {
  std::string masked;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = std::string_view(text).substr(at);
    Found found = FindAt(rest);
    if (found.undecided && !last) break;
    if (found.undecided) found = FindAt(std::string(rest) + '\n');
    if (found.length == 0) {
      masked += text[at++];
      continue;
    }
    masked += found.instead;
    at += std::min(found.length, rest.size());
  }
  text.erase(0, at);
  return masked;
}

std::string SecretMask::Masked(std::string_view text) const {
  std::string rest(text);
  return TakeMasked(rest, true);
}

Error SecretMask::Masked(const Error& error) const {
  return Error(error.code(), Masked(error.message()), error.fields());
}

void MaskedOutput::Add(std::string_view text) {
  held_ += text;
  const std::string masked = mask_.TakeMasked(held_, false);
  if (!masked.empty()) output_(masked);
}

void MaskedOutput::Finish() {
  const std::string masked = mask_.TakeMasked(held_, true);
  if (!masked.empty()) output_(masked);
}

}  // namespace mlprof::server::environment
