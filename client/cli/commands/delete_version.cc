#include "client/cli/commands/delete_version.h"

namespace mlprof::client::cli {
namespace {

constexpr std::size_t kMostNamed = 5;

// "NAME:2 and NAME:1", and no more of them than can be read.
std::string Named(const std::vector<std::string>& ids) {
  std::string text;
  const std::size_t count = std::min(ids.size(), kMostNamed);
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == ids.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + ids[i];
  }
  if (ids.size() > count) text += " and " + std::to_string(ids.size() - count) + " more";
  return text;
}

// `found` is what the value means now, `all` every version of its name.
template <class T>
Result<std::string> Confirmed(Session& session, const std::string& kind, const T& found,
                              const ResourceList<T>& all) {
  std::vector<std::string> others;
  for (const Resource<T>& item : all) {
    if (item.value.id != found.id) others.push_back(item.value.id);
  }
  if (others.empty()) return found.id;
  const bool yes = session.Confirm(
      "the newest version of " + kind + " " + found.name + " is " + found.id + "; " +
      Named(others) + (others.size() == 1 ? " stays" : " stay") + ". Delete " + found.id + "?");
  if (!yes) return Fail(Cancelled("nothing was deleted"));
  return found.id;
}

bool NamesAVersion(const std::string& value) { return value.find(':') != std::string::npos; }

}  // namespace

OptionSpec YesOption() { return {{"--yes", "-y"}, "", "do not ask"}; }

Result<std::string> ModelToDelete(Session& session, Client& client, const Options& options,
                                  const std::string& value) {
  if (NamesAVersion(value)) return value;
  MLPROF_LET(found, client.models().Get(value));
  if (options.Has("--yes") || !session.surroundings().can_ask) return found.value.id;
  MLPROF_LET(all, client.models().List({found.value.name, ""}));
  return Confirmed(session, "model", found.value, all);
}

Result<std::string> DatasetToDelete(Session& session, Client& client, const Options& options,
                                    const std::string& value) {
  if (NamesAVersion(value)) return value;
  MLPROF_LET(found, client.datasets().Get(value));
  // The other kind of id, that of the rows, names one version alone.
  const bool names_one = found.value.name != value;
  if (names_one || options.Has("--yes") || !session.surroundings().can_ask) return found.value.id;
  MLPROF_LET(all, client.datasets().List(found.value.name));
  return Confirmed(session, "dataset", found.value, all);
}

}  // namespace mlprof::client::cli
