// Puts *** where a text shows a password. Known ones are found however they are written: plainly,
// percent-encoded in part or whole, or as the base64 of a login; and whatever stands as a login in
// a URL is masked without being known. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server::environment {

class SecretMask {
 public:
  /// A login as it is written, percent-encoded or not. Without a password the name is the secret:
  /// that is how tokens are put into URLs.
  void AddLogin(std::string_view user, std::string_view password);
  /// What one URL, or a proxy written without a scheme, holds: its login and its query.
  void AddUrl(std::string_view url);
  /// All URLs in a text.
  void AddUrlsIn(std::string_view text);
  /// The same for a text that has nothing to do with packages: a name without a password is just a
  /// name ("ssh://root@host"), a query a query, and a short password shows beside its name alone.
  void AddPasswordsIn(std::string_view text);
  /// "login NAME password WORD", as in netrc and apt's auth.conf.
  void AddNetrcIn(std::string_view text);

  std::string Masked(std::string_view text) const;
  Error Masked(const Error& error) const;

 private:
  friend class MaskedOutput;
  // A secret found at the start of a text: what becomes of its first `length` bytes. 0: none there,
  // or `undecided` until more of the text is known.
  struct Found {
    std::size_t length = 0;
    std::string_view instead;
    bool undecided = false;
  };

  void Add(std::string_view secret);
  void AddSpelling(const std::string& user, const std::string& password, std::size_t shortest);
  Found FindAt(std::string_view text) const;
  /// Moves what is decided from the front of `text` to the result; all of it when `last`.
  std::string TakeMasked(std::string& text, bool last) const;

  std::vector<std::string> secrets_;  // the longest first
};

/// A text that comes in pieces, masked wherever it is cut, and handed on as soon as it can be.
/// `mask` must stay as long. Not thread-safe.
class MaskedOutput {
 public:
  MaskedOutput(const SecretMask& mask, std::function<void(std::string_view)> output)
      : mask_(mask), output_(std::move(output)) {}

  void Add(std::string_view text);
  /// No more comes: hands on what was held back.
  void Finish();

 private:
  const SecretMask& mask_;
  const std::function<void(std::string_view)> output_;
  std::string held_;
};

}  // namespace mlprof::server::environment
