#include <algorithm>
#include <charconv>

#include "client/cli/command.h"
#include "client/cli/commands/delete_version.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

// "90d", "12h", "30m", "45s".
std::optional<std::chrono::seconds> ParseAge(const std::string& text) {
  constexpr std::int64_t kMost = 36500;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end + 1 != text.data() + text.size() || count < 0) {
    return std::nullopt;
  }
  if (count > kMost * 24 * 60 * 60) return std::nullopt;
  std::chrono::seconds age{};
  switch (*end) {
    case 'd': age = std::chrono::hours(24) * count; break;
    case 'h': age = std::chrono::hours(count); break;
    case 'm': age = std::chrono::minutes(count); break;
    case 's': age = std::chrono::seconds(count); break;
    default: return std::nullopt;
  }
  if (age > std::chrono::hours(24) * kMost) return std::nullopt;
  return age;
}

Result<GarbageRequest> GarbageRequestFrom(const Options& options) {
  GarbageRequest request;
  request.dry_run = options.Has("--dry-run");
  if (!options.Has("--profiles-older-than")) return request;
  request.profiles_older_than = ParseAge(options.Text("--profiles-older-than"));
  if (!request.profiles_older_than) {
    return WrongUse("--profiles-older-than wants a time such as 90d, 12h, 30m or 45s, not '" +
                    options.Text("--profiles-older-than") + "'");
  }
  return request;
}

// Asks a person before profiles are deleted, with their number. If there are none, the age is taken
// out of the request, so that no profile that becomes old enough meanwhile is deleted unasked.
Status Confirm(Session& session, Client& client, const Options& options, GarbageRequest& request) {
  const bool asks = request.profiles_older_than && !request.dry_run && !options.Has("--yes") &&
                    session.surroundings().can_ask;
  if (!asks) return {};
  GarbageRequest look = request;
  look.dry_run = true;
  MLPROF_LET(would, client.CollectGarbage(look));
  for (const std::string& note : would.value.notes) session.Say(note);
  const auto& items = would.value.items;
  const auto count = std::count_if(items.begin(), items.end(),
                                   [](const GarbageItem& item) { return item.kind == "profile"; });
  if (count == 0) {
    request.profiles_older_than.reset();
    return {};
  }
  const bool yes = session.Confirm(std::to_string(count) +
                                   (count == 1 ? " profile of all workspaces that ended"
                                               : " profiles of all workspaces that ended") +
                                   " more than " + options.Text("--profiles-older-than") + " ago " +
                                   (count == 1 ? "is" : "are") +
                                   " deleted, with all that was measured. Delete?");
  return yes ? Status() : Fail(Cancelled("nothing was deleted"));
}

Table GarbageTable(const Garbage& garbage) {
  Table table;
  table.header = {"KIND", "ID", "SIZE", "ACTION", "WHY"};
  for (const GarbageItem& item : garbage.items) {
    table.rows.push_back({item.kind, item.id, Text(item.size), item.action, item.why});
  }
  return table;
}

Result<int> Collect(Session& session, const Options& options) {
  MLPROF_LET(request, GarbageRequestFrom(options));
  MLPROF_LET(client, session.Connect());
  MLPROF_TRY(Confirm(session, client, options, request));
  MLPROF_LET(garbage, client.CollectGarbage(request));
  session.Print(JsonOfText(garbage.json), GarbageTable(garbage.value));
  for (const std::string& note : garbage.value.notes) session.Say(note);
  session.Say((request.dry_run ? "would free " : "freed ") + Text(garbage.value.freed));
  return kDone;
}

}  // namespace

Command GcCommand() {
  return {"gc",
          "",
          "let go what is kept beyond its limits: images, samples of old profiles",
          0,
          0,
          {{{"--dry-run"}, "", "say what would go, and change nothing"},
           {{"--profiles-older-than"}, "TIME", "delete finished profiles too: 90d, 12h"},
           YesOption()},
          {"mlprof gc --dry-run", "mlprof gc --profiles-older-than 90d"},
          Collect};
}

}  // namespace mlprof::client::cli
