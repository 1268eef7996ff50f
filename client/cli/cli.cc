#include "client/cli/cli.h"

#include <algorithm>
#include <optional>

#include "client/cli/command.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

using Arguments = std::vector<std::string>;

constexpr const char* kTokenAdvice =
    "  A token comes from MLPROF_TOKEN, or \"token\" in the config file beside \"server\". "
    "'mlprof token create NAME'\n  makes one on the server's own machine, with --data-dir DIR "
    "while "
    "it does not run.\n";

bool IsHelp(const std::string& word) { return word == "--help" || word == "-h" || word == "help"; }

// How many of the leading arguments spell `path`; 0 where they do not.
std::size_t WordsOf(const std::string& path, const Arguments& arguments) {
  std::size_t words = 0;
  std::string spelled;
  for (const std::string& argument : arguments) {
    spelled += (words == 0 ? "" : " ") + argument;
    ++words;
    if (spelled == path) return words;
    if (!path.starts_with(spelled + " ")) return 0;
  }
  return 0;
}

// The longest path wins, so `profile list` is not `profile` with an operand.
template <class Entry>
const Entry* Find(const std::vector<Entry>& entries, const Arguments& arguments,
                  std::size_t& words) {
  const Entry* best = nullptr;
  words = 0;
  for (const Entry& entry : entries) {
    const std::size_t count = WordsOf(entry.path, arguments);
    if (count > words) {
      words = count;
      best = &entry;
    }
  }
  return best;
}

void PrintError(std::ostream& err, const Error& error) {
  err << "mlprof: " << VisibleLines(error.message()) << "\n";
  for (const FieldError& field : error.fields()) {
    err << "  " << Visible(field.pointer.empty() ? "(document)" : field.pointer) << ": "
        << Visible(field.detail) << "\n";
  }
  if (error.code() == ErrorCode::kUnauthenticated) err << kTokenAdvice;
  err << std::flush;
}

Status CheckOperands(const Command& command, const Options& options) {
  const std::size_t count = options.operands().size();
  if (count < command.least_operands) {
    return WrongUse("mlprof " + command.path + " needs " + command.operands);
  }
  if (count > command.most_operands) {
    return WrongUse("mlprof " + command.path + " does not take '" +
                    options.operands()[command.most_operands] + "'");
  }
  return {};
}

// `mlprof --server URL model list` is `mlprof model list --server URL`.
Arguments CommandFirst(const Arguments& arguments) {
  std::size_t end = 0;
  while (end < arguments.size()) {
    const std::string name = arguments[end].substr(0, arguments[end].find('='));
    const auto spec = std::find_if(
        CommonOptions().begin(), CommonOptions().end(), [&](const OptionSpec& candidate) {
          return !candidate.value.empty() &&
                 std::find(candidate.names.begin(), candidate.names.end(), name) !=
                     candidate.names.end();
        });
    if (spec == CommonOptions().end()) break;
    end += arguments[end].find('=') == std::string::npos ? 2 : 1;
  }
  if (end >= arguments.size()) return arguments;
  const auto middle = arguments.begin() + static_cast<std::ptrdiff_t>(end);
  Arguments out(middle, arguments.end());
  out.insert(out.end(), arguments.begin(), middle);
  return out;
}

int Fails(Surroundings& surroundings, const Error& error, const LastExchange& last) {
  PrintError(surroundings.err, error);
  return ExitStatusOf(error, last);
}

int RunCommand(const Command& command, const Arguments& arguments, Surroundings& surroundings) {
  std::vector<OptionSpec> specs = command.options;
  specs.insert(specs.end(), CommonOptions().begin(), CommonOptions().end());
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end() ||
      std::find(arguments.begin(), arguments.end(), "-h") != arguments.end()) {
    surroundings.out << HelpOf(command) << std::flush;
    return kDone;
  }
  const auto options = ParseOptions(specs, arguments);
  if (!options) return Fails(surroundings, options.error(), {});
  if (const Status status = CheckOperands(command, *options); !status) {
    return Fails(surroundings, status.error(), {});
  }
  auto session = Session::Open(surroundings, *options, command.default_format);
  if (!session) return Fails(surroundings, session.error(), {});
  const auto status = command.run(*session, *options);
  if (!status) return Fails(surroundings, status.error(), session->last_exchange());
  return *status;
}

bool IsGroup(const std::string& path) {
  return std::any_of(AllCommands().begin(), AllCommands().end(),
                     [&](const Command& command) { return command.path.starts_with(path + " "); });
}

// The group that all of the arguments spell, but for a word of help at the end; "" where none.
std::string GroupOf(const Arguments& arguments) {
  const std::size_t words = arguments.size() - (IsHelp(arguments.back()) ? 1 : 0);
  std::string path;
  for (std::size_t i = 0; i < words; ++i) path += (i == 0 ? "" : " ") + arguments[i];
  return IsGroup(path) ? path : "";
}

int UnknownCommand(const Arguments& arguments, Surroundings& surroundings) {
  std::vector<std::string> known;
  for (const Command& command : AllCommands()) known.push_back(command.path);
  std::string given = arguments[0];
  for (std::size_t i = 1; i < arguments.size() && !arguments[i].starts_with('-'); ++i) {
    // What follows a command and its subcommand is an operand; a group goes on.
    if (i > 1 && !IsGroup(given)) break;
    given += " " + arguments[i];
  }
  std::string nearest = Nearest(given, known);
  // Whoever repeats what is proposed without reading it must not lose anything.
  if (Destroys(nearest)) nearest.clear();
  PrintError(surroundings.err,
             InvalidArgument("unknown command '" + given + "'" +
                             (nearest.empty() ? "; see mlprof --help"
                                              : "; did you mean 'mlprof " + nearest + "'?")));
  return kWrongUse;
}

// What is said of a command that is known and cannot be had; `words` of the arguments name one that
// can.
std::optional<Error> NotHere(const Arguments& arguments, std::size_t words) {
  std::size_t later_words = 0;
  const LaterCommand* later = Find(LaterCommands(), arguments, later_words);
  if (later != nullptr && later_words > words) return ComesLater(later->path).value();
  std::size_t foreign_words = 0;
  const ForeignCommand* foreign = Find(ForeignCommands(), arguments, foreign_words);
  if (foreign != nullptr && foreign_words > words) return InvalidArgument(foreign->sentence);
  return std::nullopt;
}

}  // namespace

int Run(const Arguments& given, Surroundings surroundings) {
  const Arguments arguments = CommandFirst(given);
  if (arguments.empty() || IsHelp(arguments[0])) {
    (arguments.empty() ? surroundings.err : surroundings.out) << HelpOfGroup("") << std::flush;
    return arguments.empty() ? kWrongUse : kDone;
  }
  if (arguments[0] == "--version" || arguments[0] == "version") {
    surroundings.out << "mlprof " << MLPROF_VERSION << "\n" << std::flush;
    return kDone;
  }
  std::size_t words = 0;
  const Command* command = Find(AllCommands(), arguments, words);
  if (const auto refusal = NotHere(arguments, words)) {
    return Fails(surroundings, *refusal, {});
  }
  const std::string group = command == nullptr ? GroupOf(arguments) : "";
  if (!group.empty()) {
    const bool asked = IsHelp(arguments.back());
    (asked ? surroundings.out : surroundings.err) << HelpOfGroup(group) << std::flush;
    return asked ? kDone : kWrongUse;
  }
  if (command == nullptr) return UnknownCommand(arguments, surroundings);
  // A subcommand that is mistyped must not start a profile.
  if (words < arguments.size() && command->most_operands == 0 && IsGroup(command->path) &&
      !arguments[words].starts_with('-')) {
    return UnknownCommand(arguments, surroundings);
  }
  const auto first_option = arguments.begin() + static_cast<std::ptrdiff_t>(words);
  return RunCommand(*command, {first_option, arguments.end()}, surroundings);
}

}  // namespace mlprof::client::cli
