#include "common/json/token_json.h"

#include "common/json/json_reader.h"
#include "common/json/scalar_json.h"

namespace mlprof {

Json EncodeToken(const Token& token) {
  return {{"id", token.id},
          {"name", token.name},
          {"scope", Name(token.scope)},
          {"createdTime", FormatTimestamp(token.created)},
          {"expiresTime", EncodeTimestamp(token.expires)},
          {"lastUsedDay", token.last_used_day.empty() ? Json(nullptr) : Json(token.last_used_day)}};
}

Json EncodeCreatedToken(const CreatedToken& created) {
  Json json = EncodeToken(created.token);
  json["token"] = created.secret;
  return json;
}

Result<Token> DecodeToken(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Token token;
  reader.Require("id");
  Assign(token.id, reader.String("id"));
  Assign(token.name, reader.String("name"));
  const auto scope = ParseScope(reader.String("scope").value_or(""));
  if (!scope) reader.Problem("scope", "must be read or write");
  Assign(token.scope, scope);
  Assign(token.created, ReadTimestamp(reader, "createdTime"));
  token.expires = ReadTimestamp(reader, "expiresTime");
  Assign(token.last_used_day, reader.String("lastUsedDay"));
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return token;
}

Result<CreatedToken> DecodeCreatedToken(const Json& json) {
  MLPROF_LET(token, DecodeToken(json));
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  reader.Require("token");
  CreatedToken created{std::move(token), reader.String("token").value_or("")};
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return created;
}

}  // namespace mlprof
