// Bearer tokens: made, listed, revoked, and checked with every request. A secret is 256 random
// bits, shown once and kept as its SHA-256. All are held in memory, so that a check costs no
// database, and a revoked one is refused from the return of Revoke() on. Thread-safe; one object a
// database.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/token.h"
#include "common/result/result.h"

namespace mlprof::server {

class Database;

struct NewToken {
  std::string name;
  Scope scope = Scope::kRead;
  std::optional<Timestamp> expires = std::nullopt;
};

class TokenRepository {
 public:
  using Clock = std::function<Timestamp()>;

  static Result<std::unique_ptr<TokenRepository>> Open(Database& database, Clock clock = &Now);

  /// kInvalidArgument for a name that cannot be one, kConflict where it exists,
  /// kResourceExhausted at 1000.
  Result<CreatedToken> Create(const NewToken& token);
  /// Newest first, the expired ones too.
  std::vector<Token> List() const;
  /// kNotFound.
  Status Revoke(const std::string& id_or_name);
  /// One more, with Scope::kWrite, that is neither stored nor listed.
  void AddUnstored(std::string_view secret);

  /// What a secret allows now. Takes as long for any of them as for none.
  std::optional<Scope> Check(std::string_view secret);
  /// As Check, but the whole token, and the use is not noted.
  std::optional<Token> Identify(std::string_view secret);
  /// Whether the token of this id allows anything now.
  bool IsValid(const std::string& id) const;
  /// Whether any could let somebody in now.
  bool HasValid() const;

 private:
  struct Held {
    Token token;
    std::string secret_sha256;
    bool stored = true;
  };

  TokenRepository(Database& database, Clock clock)
      : database_(database), clock_(std::move(clock)) {}
  Status Load();
  Held* Find(std::string_view secret);
  void NoteUse(const std::string& id, const std::string& day);

  Database& database_;
  const Clock clock_;
  mutable std::mutex mutex_;
  std::vector<Held> held_;  // oldest first
};

}  // namespace mlprof::server
