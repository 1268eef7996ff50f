// Bearer tokens: made, listed, revoked. They belong to the server, not to a workspace.
#include "common/json/json_reader.h"
#include "common/json/token_json.h"
#include "server/rest/access.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"
#include "server/storage/tokens.h"

namespace mlprof::server {
namespace {

constexpr int kLongestDays = 3650;  // ten years

// A server that lets anyone in still lets only its own machine, or a token, manage tokens:
// otherwise a stranger could make one that outlives the open time.
Status NeedScope(const Services& services, const HttpRequest& request, Scope needed) {
  // The server's own tokens alone are asked for here: the token for an hour that Azure's clients
  // are given must not make one that stays.
  const auto given = request.headers.Get("Authorization");
  constexpr std::size_t kBearer = std::string_view("Bearer ").size();
  const auto scope = given && given->size() > kBearer
                         ? services.tokens.Check(std::string_view(*given).substr(kBearer))
                         : services.access.ScopeOf(request);
  if (scope && (*scope == Scope::kWrite || needed == Scope::kRead)) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "tokens are managed on the server's own machine, or with a token that may write");
}

Result<NewToken> DecodeNewToken(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  NewToken token;
  if (reader.Require("name")) Assign(token.name, reader.String("name", CheckName));
  if (reader.Require("scope")) {
    const auto text = reader.String("scope");
    const auto scope = text ? ParseScope(*text) : std::nullopt;
    if (text && !scope) reader.Problem("scope", "must be read or write");
    Assign(token.scope, scope);
  }
  const auto days = reader.Integer("expiresInDays", {1, kLongestDays}, Null::kAbsent);
  if (days) token.expires = Now() + std::chrono::hours(24 * *days);
  reader.RefuseUnknown();
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return token;
}

// A retry under the same Idempotency-Key finds the name taken: the secret is not kept, so it cannot
// be shown again.
Result<HttpResponse> CreateToken(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(NeedScope(services, request, Scope::kWrite));
  MLPROF_LET(json, ReadJsonBody(request));
  MLPROF_LET(asked, DecodeNewToken(json));
  MLPROF_LET(created, services.tokens.Create(asked));
  HttpResponse response =
      CreatedResponse(201, EncodeCreatedToken(created), "/tokens/" + created.token.id, workspace);
  response.headers.Set("Cache-Control", "no-store");
  return response;
}

Result<HttpResponse> ListTokens(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(NeedScope(services, request, Scope::kRead));
  MLPROF_LET(slice, Slice(services.tokens.List(), page));
  return JsonResponse(200, EncodePage(slice, EncodeToken));
}

Result<HttpResponse> RevokeToken(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(NeedScope(services, request, Scope::kWrite));
  MLPROF_TRY(services.tokens.Revoke(PathParameter(request, "id")));
  return NoContent();
}

}  // namespace

void AddTokenRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/tokens", kJsonBody, Handle(services, CreateToken)});
  router.Add({"GET", "/tokens", kNoBody, Handle(services, ListTokens)});
  router.Add({"DELETE", "/tokens/{id}", kNoBody, Handle(services, RevokeToken)});
}

}  // namespace mlprof::server
