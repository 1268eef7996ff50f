#include "client/cli/command.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

Result<TokenRequest> TokenRequestFrom(const Options& options) {
  TokenRequest request;
  request.name = options.operands()[0];
  if (options.Has("--scope")) {
    const auto scope = ParseScope(options.Text("--scope"));
    if (!scope) return WrongUse("--scope must be read or write");
    request.scope = *scope;
  }
  MLPROF_LET(days, options.Integer("--expires-in-days", 1));
  request.expires_in_days = days;
  return request;
}

Table TokenTable(const ResourceList<Token>& tokens) {
  Table table;
  table.header = {"ID", "NAME", "SCOPE", "CREATED", "EXPIRES", "LAST USED"};
  for (const Resource<Token>& item : tokens) {
    const Token& token = item.value;
    table.rows.push_back({token.id, token.name, std::string(Name(token.scope)), Text(token.created),
                          token.expires ? Text(*token.expires) : "never",
                          token.last_used_day.empty() ? "never" : token.last_used_day});
  }
  return table;
}

// On stdout nothing but the token, so that TOKEN=$(mlprof token create ci) holds it.
Result<int> CreateToken(Session& session, const Options& options) {
  MLPROF_LET(request, TokenRequestFrom(options));
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(created, client.tokens().Create(request));
  const std::string& secret = created.value.secret;
  session.Print(JsonOfText(created.json), Table{{}, {{secret}}}, secret + "\n");
  session.Say("the token is shown this once; programs take it from MLPROF_TOKEN");
  return kDone;
}

Result<int> ListTokens(Session& session, const Options&) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(tokens, client.tokens().List());
  session.Print(ListJson(tokens), TokenTable(tokens));
  return kDone;
}

Result<int> Revoke(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_TRY(client.tokens().Revoke(options.operands()[0]));
  session.Say("revoked token " + options.operands()[0]);
  return kDone;
}

}  // namespace

std::vector<Command> TokenCommands() {
  return {
      {"token create",
       "NAME",
       "make a token for other machines and users; it is printed this once",
       1,
       1,
       {{{"--scope"}, "SCOPE", "read or write (default)"},
        {{"--expires-in-days"}, "N", "how long it is good for (default: until revoked)"},
        DataDirOption()},
       {"mlprof token create ci --scope read --expires-in-days 90",
        "mlprof token create ci --data-dir /var/lib/mlprof"},
       CreateToken},
      {"token list",
       "",
       "list tokens, without their secrets",
       0,
       0,
       {DataDirOption()},
       {"mlprof token list"},
       ListTokens},
      {"token revoke",
       "ID",
       "end a token at once, by id or name",
       1,
       1,
       {DataDirOption()},
       {"mlprof token revoke ci"},
       Revoke},
  };
}

}  // namespace mlprof::client::cli
