// Tokens as JSON. Pure.
#pragma once

#include "common/domain/token.h"
#include "common/json/json.h"

namespace mlprof {

Json EncodeToken(const Token& token);
/// With the member "token" for the secret.
Json EncodeCreatedToken(const CreatedToken& created);
/// Decode… read what a server said.
Result<Token> DecodeToken(const Json& json);
Result<CreatedToken> DecodeCreatedToken(const Json& json);

}  // namespace mlprof
