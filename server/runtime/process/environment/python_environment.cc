#include "server/runtime/process/environment/python_environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>

#include "common/json/json.h"
#include "common/log/log.h"
#include "common/os/read_text.h"
#include "common/os/remove_tree.h"
#include "server/runtime/environment/environment_recipe.h"
#include "server/runtime/environment/environment_size.h"
#include "server/runtime/environment/output_tail.h"
#include "server/runtime/environment/pip_settings.h"
#include "server/runtime/model_start.h"
#include "server/runtime/process/environment/preparation_plan.h"
#include "server/runtime/process/sandbox/sandbox_process.h"

namespace mlprof::server::process {
namespace {

constexpr std::size_t kLinesShown = 20;
constexpr std::chrono::seconds kEndLimit{10};
constexpr std::chrono::seconds kClearLimit{60};
constexpr std::chrono::seconds kTurnLimit{1};
constexpr const char* kMarkFile = "environment.json";  // written last: without it all is made anew
constexpr const char* kVariablesFile = "variables";
constexpr const char* kPrefix = "mlprof-env:";
constexpr environment::EnvironmentSize kAnySize{GiB(1 << 20), std::int64_t{1} << 40};

void Say(const Preparing& preparing, const std::string& text) {
  preparing.output("mlprof: " + text + "\n");
}

struct MadeEnvironment {
  std::string python;
  Bytes size;
};

std::optional<MadeEnvironment> ReadMark(const std::filesystem::path& folder) {
  const auto json = ParseJson(ReadText(folder / kMarkFile));
  if (!json || !json->is_object()) return std::nullopt;
  const auto python = json->find("python");
  const auto bytes = json->find("bytes");
  if (python == json->end() || !python->is_string()) return std::nullopt;
  if (bytes == json->end() || !bytes->is_number_integer()) return std::nullopt;
  return MadeEnvironment{python->get<std::string>(), Bytes(bytes->get<std::int64_t>())};
}

Status WriteMark(const std::filesystem::path& folder, const MadeEnvironment& made) {
  std::ofstream file(folder / kMarkFile);
  file << DumpJson({{"python", made.python}, {"bytes", made.size.count()}});
  file.close();
  return file ? Status() : Fail(Internal("cannot write into " + folder.string()));
}

// This machine's Python, as the base of an environment: another one is another environment.
Result<std::string> PythonOfThisMachine() {
  MLPROF_LET(program, PythonProgram());
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0) return Fail(FromErrno(errno, program));
  return program + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec);
}

// Without a root of its own an environment is bound to the folder that it lies in.
std::string HashOf(const environment::Recipe& recipe, const std::string& python,
                   const ProcessContext& context, Apart apart) {
  std::string base = "process " + python;
  if (apart == Apart::kNot) base += " " + context.Root().string();
  return environment::RecipeHash(recipe, base);
}

// It is written into a shell script and a program's first line.
Status CheckPlain(const std::filesystem::path& folder) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  if (folder.string().find_first_not_of(kPlain) == std::string::npos) return {};
  return Fail(InvalidArgument("the data directory's path " + folder.string() +
                              " holds characters that a Python environment cannot be made with; "
                              "choose one of letters, digits, _, . and -"));
}

Status MakeWritable(const std::filesystem::path& folder, bool as_nobody) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(FromErrno(error.value(), "cannot make " + folder.string()));
  if (!as_nobody || ::chown(folder.c_str(), kNobodyId, kNobodyId) == 0) return {};
  return Fail(FromErrno(errno, "cannot hand over " + folder.string()));
}

class Installation {
 public:
  Installation(const Preparing& preparing, const environment::Recipe& recipe,
               const std::string& hash)
      : preparing_(preparing),
        recipe_(recipe),
        apart_(preparing.context.Permitted().apart),
        folder_(preparing.context.EnvironmentOf(hash)),
        secrets_(environment::SecretsOf(environment::ThisHost())) {
    places_ = {folder_ / "venv", folder_ / "tmp", folder_ / kVariablesFile, folder_ / "root",
               preparing.context.options.data_dir};
  }

  Result<MadeEnvironment> Make() {
    Say(preparing_, "installing " + std::to_string(recipe_.packages.size()) +
                        " packages and what they need, once for this environment");
    MLPROF_TRY(CheckPlain(folder_));
    MLPROF_TRY(RemoveTree(folder_, preparing_.patience.AtMost(kClearLimit)));
    const auto installed = Install();
    static_cast<void>(RemoveTree(places_.temporary, Deadline::After(kClearLimit)));
    std::error_code ignored;
    std::filesystem::remove(places_.variables, ignored);
    std::filesystem::remove(places_.root, ignored);
    if (!installed) {
      static_cast<void>(RemoveTree(folder_, Deadline::After(kClearLimit)));
      return Fail(installed.error());
    }
    MLPROF_LET(size,
               environment::SizeOfEnvironment(places_.environment, kAnySize, preparing_.patience));
    const MadeEnvironment made{python_, size.bytes};
    MLPROF_TRY(WriteMark(folder_, made));
    return made;
  }

 private:
  Status WriteVariables(const environment::PipSettings& pip) {
    std::ofstream out(places_.variables);
    out << environment::ShellExports(VariablesFor(pip, apart_));
    out.close();
    if (!out) return Fail(Internal("cannot write " + places_.variables.string()));
    // For the user that installs. The folder above keeps others of the machine out.
    ::chmod(places_.variables.c_str(), 0644);
    return {};
  }

  Status Install() {
    const bool as_nobody = apart_ == Apart::kAsRoot;
    MLPROF_TRY(MakeWritable(places_.environment, as_nobody));
    MLPROF_TRY(MakeWritable(places_.temporary, as_nobody));
    std::error_code error;
    std::filesystem::create_directories(places_.root, error);
    const auto pip = OnThisNetwork(environment::PipSettingsOf(environment::ThisHost()));
    MLPROF_TRY(WriteVariables(pip));
    environment::MaskedOutput output(secrets_, [this](std::string_view text) { Take(text); });
    const SandboxPlan plan =
        PreparationPlan(recipe_.packages, pip, places_, apart_, ListHostFolder);
    MLPROF_LET(sandbox,
               SandboxProcess::Start(preparing_.context.options.agent_binary, plan, UniqueFd(),
                                     [&output](std::string_view text) { output.Add(text); }));
    const auto end = sandbox->AwaitEnd(preparing_.patience);
    static_cast<void>(sandbox->End(Deadline::After(kEndLimit)));
    output.Finish();
    if (!end) return Fail(end.error().WithContext("installing the packages"));
    if (*end == SandboxEnd{}) return {};
    return Fail(InvalidArgument("the packages could not be installed (exit code " +
                                std::to_string(end->exit_code) + "); the last lines:\n" +
                                tail_.Text()));
  }

  void Take(std::string_view text) {
    preparing_.output(text);
    tail_.Add(text, [this](std::string_view line) {
      const std::string_view mark(environment::kPythonMark);
      if (line.starts_with(mark)) python_ = line.substr(mark.size());
    });
  }

  const Preparing& preparing_;
  const environment::Recipe& recipe_;
  const Apart apart_;
  const std::filesystem::path folder_;
  const environment::SecretMask secrets_;
  PreparationPlaces places_;
  environment::OutputTail tail_{kLinesShown};
  std::string python_;
};

std::vector<Warning> WarningsFor(const EntryScriptConfig& script, const environment::Recipe& recipe,
                                 const MadeEnvironment& made) {
  std::vector<Warning> warnings = recipe.warnings;
  if (!script.base_image.empty()) {
    warnings.push_back({"baseImageIgnored",
                        "the entry script ran with this machine's Python " + made.python +
                            ", not in its base image " + script.base_image,
                        "use --runtime docker to profile it in its image"});
  }
  for (Warning& warning : environment::PythonWarnings(recipe.conda_python, made.python)) {
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace

Result<std::string> PythonProgram() {
  for (const char* folder : {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin"}) {
    std::error_code error;
    auto program = std::filesystem::canonical(std::filesystem::path(folder) / "python3", error);
    if (!error) return program.string();
  }
  return Fail(InvalidArgument(
      "this machine has no python3 in /usr/bin or /usr/local/bin, which entry scripts are served "
      "with: install it (Debian: apt-get install python3-venv), or give a command"));
}

Result<PreparedImage> PrepareEnvironment(const Preparing& preparing,
                                         const PrepareRequest& request) {
  ProcessContext& context = preparing.context;
  const auto& script = std::get<EntryScriptConfig>(request.config.service);
  MLPROF_LET(recipe, environment::RecipeOf(script, request.source.get()));
  MLPROF_LET(python, PythonOfThisMachine());
  const auto turn = context.preparing.Enter(preparing.patience);
  if (!turn) return Fail(turn.error().WithContext("another environment is being prepared"));
  const std::string hash = HashOf(recipe, python, context, context.Permitted().apart);
  // From here on the retention does not remove this environment.
  MLPROF_TRY(context.uses.Use(hash, Now(), preparing.patience));
  auto made = ReadMark(context.EnvironmentOf(hash));
  if (!made) {
    MLPROF_LET(installed, Installation(preparing, recipe, hash).Make());
    made = installed;
  }
  PreparedImage image;
  image.image_id = hash;
  image.warnings = WarningsFor(script, recipe, *made);
  return image;
}

Result<std::vector<KeptImage>> ListEnvironments(ProcessContext& context,
                                                const std::vector<PrepareRequest>& waiting,
                                                const Patience& patience) {
  std::set<std::string> needed;
  const auto python = PythonOfThisMachine();
  for (const PrepareRequest& request : waiting) {
    const auto* script = std::get_if<EntryScriptConfig>(&request.config.service);
    if (script == nullptr || !python) continue;
    const auto recipe = environment::RecipeOf(*script, request.source.get());
    if (!recipe) {
      return Fail(
          Conflict("what a waiting profile needs cannot be told: " + recipe.error().message()));
    }
    needed.insert(HashOf(*recipe, *python, context, context.Permitted().apart));
  }
  std::vector<KeptImage> kept;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(context.EnvironmentOf(""), error), end;
       !error && entry != end; entry.increment(error)) {
    if (patience.stop.stop_requested()) return Fail(Cancelled("stopped"));
    const std::string hash = entry->path().filename().string();
    const auto made = ReadMark(entry->path());
    if (!made) continue;
    kept.push_back({kPrefix + hash, made->size, context.uses.LastUse(hash).value_or(Timestamp()),
                    needed.contains(hash)});
  }
  return kept;
}

int RemoveUnfinishedEnvironments(ProcessContext& context, const Patience& patience) {
  const auto turn = context.preparing.Enter(patience.AtMost(kTurnLimit));
  if (!turn) return 0;
  int removed = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(context.EnvironmentOf(""), error), end;
       !error && entry != end; entry.increment(error)) {
    if (patience.stop.stop_requested() || patience.deadline.Passed()) break;
    if (ReadMark(entry->path())) continue;
    // First what may hold a password: a tree takes its time.
    std::error_code ignored;
    std::filesystem::remove(entry->path() / kVariablesFile, ignored);
    if (const Status tree = RemoveTree(entry->path(), patience); tree) {
      ++removed;
    } else {
      LogWarn("an unfinished environment was not removed", {{"why", tree.error().message()}});
    }
  }
  return removed;
}

Status RemoveEnvironment(ProcessContext& context, const KeptImage& image,
                         const Patience& patience) {
  const std::string hash = image.id.substr(std::string_view(kPrefix).size());
  const auto turn = context.preparing.Enter(patience);
  if (!turn) return Fail(Conflict("an environment is being prepared"));
  const auto removal = context.uses.BeginRemoval(hash, image.last_used);
  if (!removal) return Fail(Conflict(image.id + " was used meanwhile"));
  std::error_code ignored;
  std::filesystem::remove(context.EnvironmentOf(hash) / kMarkFile, ignored);
  MLPROF_TRY(RemoveTree(context.EnvironmentOf(hash), patience));
  context.uses.Forget(hash);
  return {};
}

}  // namespace mlprof::server::process
