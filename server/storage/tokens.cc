#include "server/storage/tokens.h"

#include <openssl/crypto.h>

#include <algorithm>

#include "common/hash/sha256.h"
#include "common/log/log.h"
#include "server/storage/database.h"
#include "server/storage/names.h"
#include "server/storage/random_id.h"
#include "server/storage/statement.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMostTokens = 1000;  // every check goes over all of them
constexpr std::size_t kDayLength = 10;

// 256 random bits.
std::string MakeSecret() { return "mlp_" + RandomId() + RandomId(); }

std::string DayOf(Timestamp when) { return FormatTimestamp(when).substr(0, kDayLength); }

bool IsValidAt(const Token& token, Timestamp now) { return !token.expires || now < *token.expires; }

Status Insert(Connection& connection, const Token& token, const std::string& secret_sha256) {
  Statement row(connection, "SELECT 1 FROM tokens WHERE name = :name");
  const Result<bool> taken = row.Bind(":name", token.name).Step();
  if (!taken) return Fail(taken.error());
  if (*taken) return Fail(Conflict("a token named \"" + token.name + "\" exists"));
  Statement insert(connection, R"sql(
    INSERT INTO tokens (id, name, scope, secret_sha256, created_unix_ms, expires_unix_ms)
    VALUES (:id, :name, :scope, :secret_sha256, :created, :expires))sql");
  insert.Bind(":id", token.id)
      .Bind(":name", token.name)
      .Bind(":scope", Name(token.scope))
      .Bind(":secret_sha256", secret_sha256)
      .Bind(":created", token.created);
  if (token.expires) insert.Bind(":expires", *token.expires);
  return insert.Run();
}

Token ReadToken(const Statement& row) {
  Token token;
  token.id = row.Text(0);
  token.name = row.Text(1);
  token.scope = ParseScope(row.Text(2)).value_or(Scope::kRead);
  token.created = row.Time(3);
  if (row.Int(5) != 0) token.expires = row.Time(4);
  token.last_used_day = row.Text(6);
  return token;
}

}  // namespace

Result<std::unique_ptr<TokenRepository>> TokenRepository::Open(Database& database, Clock clock) {
  std::unique_ptr<TokenRepository> tokens(new TokenRepository(database, std::move(clock)));
  MLPROF_TRY(tokens->Load());
  return tokens;
}

Status TokenRepository::Load() {
  return database_.Read([this](Connection& connection) -> Status {
    Statement rows(connection, R"sql(
      SELECT id, name, scope, created_unix_ms, expires_unix_ms, expires_unix_ms IS NOT NULL,
             coalesce(last_used_day, ''), secret_sha256
      FROM tokens ORDER BY sequence)sql");
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) return {};
      held_.push_back({ReadToken(rows), rows.Text(7)});
    }
  });
}

Result<CreatedToken> TokenRepository::Create(const NewToken& asked) {
  if (!IsValidName(asked.name)) {
    return Fail(Error(ErrorCode::kInvalidArgument, "the token's name cannot be one",
                      {{"/name", "letters, digits, '-', '_' and '.', up to 255"}}));
  }
  const CreatedToken made{{RandomId(), asked.name, asked.scope, clock_(), asked.expires, ""},
                          MakeSecret()};
  const std::string digest = Sha256Hex(made.secret);
  // Held over the write, so that what is in memory and what is stored keep the same order.
  const std::lock_guard lock(mutex_);
  if (held_.size() >= kMostTokens) {
    return Fail(ErrorCode::kResourceExhausted, "there are " + std::to_string(kMostTokens) +
                                                   " tokens, as many as may be; revoke some");
  }
  MLPROF_TRY(database_.Write(
      [&](Connection& connection) { return Insert(connection, made.token, digest); }));
  held_.push_back({made.token, digest});
  return made;
}

std::vector<Token> TokenRepository::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<Token> tokens;
  for (auto held = held_.rbegin(); held != held_.rend(); ++held) {
    if (held->stored) tokens.push_back(held->token);
  }
  return tokens;
}

Status TokenRepository::Revoke(const std::string& id_or_name) {
  const std::lock_guard lock(mutex_);
  const auto by = [&](std::string Token::*member) {
    return std::find_if(held_.begin(), held_.end(), [&](const Held& held) {
      return held.stored && held.token.*member == id_or_name;
    });
  };
  auto found = by(&Token::id);
  if (found == held_.end()) found = by(&Token::name);
  if (found == held_.end()) return Fail(NotFound("there is no token " + id_or_name));
  MLPROF_TRY(database_.Write([&](Connection& connection) -> Status {
    return Statement(connection, "DELETE FROM tokens WHERE id = :id")
        .Bind(":id", found->token.id)
        .Run();
  }));
  held_.erase(found);
  return {};
}

void TokenRepository::AddUnstored(std::string_view secret) {
  const std::lock_guard lock(mutex_);
  Token token;
  // Made of the secret, so that it is the same after a restart: addresses that were signed for this
  // token stay valid.
  token.id = Sha256Hex("id of " + std::string(secret)).substr(0, 32);
  token.scope = Scope::kWrite;
  held_.push_back({token, Sha256Hex(secret), false});
}

TokenRepository::Held* TokenRepository::Find(std::string_view secret) {
  const std::string digest = Sha256Hex(secret);
  Held* found = nullptr;
  for (Held& held : held_) {
    const bool same = held.secret_sha256.size() == digest.size() &&
                      CRYPTO_memcmp(held.secret_sha256.data(), digest.data(), digest.size()) == 0;
    if (same) found = &held;
  }
  return found;
}

std::optional<Scope> TokenRepository::Check(std::string_view secret) {
  const Timestamp now = clock_();
  const std::string today = DayOf(now);
  std::unique_lock lock(mutex_);
  Held* held = Find(secret);
  if (held == nullptr || !IsValidAt(held->token, now)) return std::nullopt;
  const Scope scope = held->token.scope;
  if (!held->stored || held->token.last_used_day == today) return scope;
  held->token.last_used_day = today;
  const std::string id = held->token.id;
  lock.unlock();
  NoteUse(id, today);
  return scope;
}

std::optional<Token> TokenRepository::Identify(std::string_view secret) {
  const Timestamp now = clock_();
  const std::lock_guard lock(mutex_);
  const Held* held = Find(secret);
  if (held == nullptr || !IsValidAt(held->token, now)) return std::nullopt;
  return held->token;
}

bool TokenRepository::IsValid(const std::string& id) const {
  const Timestamp now = clock_();
  const std::lock_guard lock(mutex_);
  return std::any_of(held_.begin(), held_.end(), [&](const Held& held) {
    return held.token.id == id && IsValidAt(held.token, now);
  });
}

// A failure is only logged: a full disk must not lock out who brings a valid token.
void TokenRepository::NoteUse(const std::string& id, const std::string& day) {
  const Status noted = database_.Write([&](Connection& connection) -> Status {
    return Statement(connection, "UPDATE tokens SET last_used_day = :day WHERE id = :id")
        .Bind(":day", day)
        .Bind(":id", id)
        .Run();
  });
  if (!noted) LogWarn("a token's use was not noted", {{"why", noted.error().message()}});
}

bool TokenRepository::HasValid() const {
  const Timestamp now = clock_();
  const std::lock_guard lock(mutex_);
  return std::any_of(held_.begin(), held_.end(),
                     [&](const Held& held) { return IsValidAt(held.token, now); });
}

}  // namespace mlprof::server
