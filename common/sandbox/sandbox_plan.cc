#include "common/sandbox/sandbox_plan.h"

#include <array>
#include <charconv>
#include <cstddef>

#include "common/text/split.h"

namespace mlprof {
namespace {

using namespace std::string_view_literals;

constexpr auto kEnd = "end\0"sv;

struct StepWord {
  SandboxStep::Kind kind;
  std::string_view word;
};
constexpr std::array<StepWord, 9> kStepWords = {{{SandboxStep::Kind::kFolder, "folder"},
                                                 {SandboxStep::Kind::kReadOnly, "readOnly"},
                                                 {SandboxStep::Kind::kWritable, "writable"},
                                                 {SandboxStep::Kind::kLayer, "layer"},
                                                 {SandboxStep::Kind::kDevice, "device"},
                                                 {SandboxStep::Kind::kMemory, "memory"},
                                                 {SandboxStep::Kind::kLink, "link"},
                                                 {SandboxStep::Kind::kProc, "proc"},
                                                 {SandboxStep::Kind::kSealed, "sealed"}}};

std::string_view WordOf(SandboxStep::Kind kind) {
  for (const StepWord& entry : kStepWords) {
    if (entry.kind == kind) return entry.word;
  }
  return "";
}

std::optional<SandboxStep::Kind> KindOf(std::string_view word) {
  for (const StepWord& entry : kStepWords) {
    if (entry.word == word) return entry.kind;
  }
  return std::nullopt;
}

class Writer {
 public:
  void Field(std::string_view text) {
    bytes_ += text;
    bytes_ += '\0';
  }
  void Pair(std::string_view word, std::string_view value) {
    Field(word);
    Field(value);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::optional<int> NumberIn(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Error Broken(std::string_view word) {
  return InvalidArgument("a sandbox's plan is broken at '" + std::string(word) + "'");
}

// Takes one "word value" pair. False for a word that it does not know or a value that it cannot be.
bool TakePair(std::string_view word, std::string_view value, SandboxPlan& plan) {
  if (word == "cgroup") {
    plan.cgroups.emplace_back(value);
  } else if (word == "root") {
    plan.root = value;
  } else if (word == "userNamespace") {
    plan.user_namespace = value == "true";
  } else if (word == "network") {
    plan.network = value == "true";
  } else if (word == "hostName") {
    plan.host_name = value;
  } else if (word == "argument") {
    plan.command.emplace_back(value);
  } else if (word == "variable") {
    plan.environment.emplace_back(value);
  } else {
    const auto number = NumberIn(value);
    if (!number) return false;
    if (word == "core") {
      plan.cores.push_back(*number);
    } else if (word == "runAs") {
      plan.run_as = *number;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string EncodeSandboxPlan(const SandboxPlan& plan) {
  Writer out;
  for (const std::string& folder : plan.cgroups) out.Pair("cgroup", folder);
  if (!plan.root.empty()) out.Pair("root", plan.root);
  for (const SandboxStep& step : plan.steps) {
    out.Pair(WordOf(step.kind), step.here);
    out.Field(step.inside);
  }
  if (plan.user_namespace) out.Pair("userNamespace", "true");
  if (plan.network) out.Pair("network", "true");
  if (!plan.host_name.empty()) out.Pair("hostName", plan.host_name);
  for (const int core : plan.cores) out.Pair("core", std::to_string(core));
  if (plan.run_as) out.Pair("runAs", std::to_string(*plan.run_as));
  for (const std::string& word : plan.command) out.Pair("argument", word);
  for (const std::string& variable : plan.environment) out.Pair("variable", variable);
  out.Field("end");
  return out.Take();
}

bool IsWholeSandboxPlan(std::string_view bytes) {
  if (!bytes.ends_with(kEnd)) return false;
  return bytes.size() == kEnd.size() || bytes[bytes.size() - kEnd.size() - 1] == '\0';
}

Result<SandboxPlan> DecodeSandboxPlan(std::string_view bytes) {
  if (!IsWholeSandboxPlan(bytes)) return Fail(InvalidArgument("a sandbox's plan is not whole"));
  bytes.remove_suffix(kEnd.size());
  SandboxPlan plan;
  if (bytes.empty()) return Fail(InvalidArgument("a sandbox's plan names no command"));
  bytes.remove_suffix(1);
  const std::vector<std::string_view> fields = Split(bytes, '\0');
  for (std::size_t i = 0; i < fields.size();) {
    const auto kind = KindOf(fields[i]);
    const std::size_t length = kind ? 3 : 2;
    if (i + length > fields.size()) return Fail(Broken(fields[i]));
    if (kind) {
      plan.steps.push_back({*kind, std::string(fields[i + 1]), std::string(fields[i + 2])});
    } else if (!TakePair(fields[i], fields[i + 1], plan)) {
      return Fail(Broken(fields[i]));
    }
    i += length;
  }
  if (plan.command.empty()) return Fail(InvalidArgument("a sandbox's plan names no command"));
  return plan;
}

std::string EncodeSandboxEnd(const SandboxEnd& end) {
  return end.signal != 0 ? "signal " + std::to_string(end.signal) + "\n"
                         : "exit " + std::to_string(end.exit_code) + "\n";
}

std::optional<SandboxEnd> DecodeSandboxEnd(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::size_t line = text.find('\n');
  if (space == std::string_view::npos || line == std::string_view::npos) return std::nullopt;
  const auto number = NumberIn(text.substr(space + 1, line - space - 1));
  if (!number) return std::nullopt;
  if (text.substr(0, space) == "signal") return SandboxEnd{0, *number};
  return SandboxEnd{*number, 0};
}

}  // namespace mlprof
