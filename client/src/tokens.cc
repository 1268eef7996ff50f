#include "client/include/mlprof/tokens.h"

#include "client/src/connection.h"
#include "common/json/token_json.h"

namespace mlprof::client {

Result<Resource<CreatedToken>> Tokens::Create(const TokenRequest& token) {
  Json body = {{"name", token.name}, {"scope", Name(token.scope)}};
  if (token.expires_in_days) body["expiresInDays"] = *token.expires_in_days;
  return Decoded(connection_.CallWithJson("POST", Target("/tokens"), body), &DecodeCreatedToken);
}

Result<ResourceList<Token>> Tokens::List() {
  return DecodedAll(connection_.ListAll(Target("/tokens")), &DecodeToken);
}

Status Tokens::Revoke(const std::string& id_or_name) {
  return StatusOf(connection_.Call("DELETE", Target("/tokens").Segment(id_or_name)));
}

}  // namespace mlprof::client
