#include "server/devices/xspace/input_ops.h"

#include <algorithm>
#include <array>
#include <map>

#include "server/devices/xspace/nesting.h"
#include "server/devices/xspace/planes.h"
#include "server/devices/xspace/stat_of.h"

namespace mlprof::server::xspace {
namespace {

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Beyond so many different ones the rest is told as one.
constexpr std::size_t kMostInputOps = 200'000;
constexpr std::string_view kOtherInputOps = "(others)";

bool IsWord(std::string_view text, std::string_view lower_case) {
  return std::equal(
      text.begin(), text.end(), lower_case.begin(), lower_case.end(),
      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; });
}

// A stage of tf.data by its name, "Iterator::Root::Prefetch::TFRecord".
InputClass ClassOfIterator(std::string_view name) {
  constexpr std::array<std::string_view, 6> kReaders = {"::TFRecord",          "::TextLine",
                                                        "::FixedLengthRecord", "::SSTable",
                                                        "::RecordIO",          "::ArrayRecord"};
  constexpr std::array<std::string_view, 5> kAhead = {
      "::MemoryReader", "::MemoryWriter", "::Interleave", "::Prefetch", "::ParallelMap"};
  const auto ends = [&](std::string_view reader) { return name.ends_with(reader); };
  const auto holds = [&](std::string_view stage) { return Has(name, stage); };
  if (std::none_of(kReaders.begin(), kReaders.end(), ends)) return InputClass::kPreprocessing;
  return std::any_of(kAhead.begin(), kAhead.end(), holds) ? InputClass::kAdvancedRead
                                                          : InputClass::kDemandedRead;
}

InputClass ClassOfStage(std::string_view category) {
  if (IsWord(category, "enqueue")) return InputClass::kEnqueue;
  if (IsWord(category, "read")) return InputClass::kDemandedRead;
  if (IsWord(category, "preprocessing")) return InputClass::kPreprocessing;
  return InputClass::kUnknown;
}

// "dense/MatMul:MatMul": an operation of TensorFlow, which may hold input operations or lie in one.
bool IsFrameworkOp(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == name.size()) return false;
  const char type = name[colon + 1];
  return (type >= 'A' && type <= 'Z') || type == '_';
}

struct Selected {
  std::string_view name;
  InputClass input_class = InputClass::kUnknown;
  std::uint64_t stage = 0;
  bool is_input = false;
};

class InputOps {
 public:
  InputOps(const Plane& plane, const TimeLimit& time)
      : plane_(plane),
        time_(time),
        stage_id_(plane, "_ipl_stage_id"),
        stage_name_(plane, "_ipl_stage_name"),
        stage_category_(plane, "_ipl_stage_cat") {}

  std::vector<InputOp> Run() {
    for (const Line& line : plane_.lines) AddLine(line);
    std::vector<InputOp> out;
    for (const auto& [key, op] : ops_) out.push_back(op);
    std::stable_sort(out.begin(), out.end(),
                     [](const InputOp& a, const InputOp& b) { return a.self_ps > b.self_ps; });
    return out;
  }

 private:
  void AddLine(const Line& line) {
    Line selected_line;
    std::vector<Selected> selected;
    for (const Event& event : line.events) {
      if (time_.Over()) return;
      Selected one;
      if (!Select(event, one)) continue;
      selected_line.events.push_back(event);
      selected.push_back(one);
    }
    for (const Nested& event : NestingOf(plane_, selected_line, false)) {
      const Selected& one = selected[event.event];
      if (!one.is_input) continue;
      if (time_.Over()) return;
      InputOp& op = OpOf(one);
      op.count += 1;
      op.time_ps += static_cast<double>(event.span.duration_ps);
      op.self_ps += static_cast<double>(event.self_ps);
    }
  }

  InputOp& OpOf(const Selected& one) {
    std::pair key(one.stage, one.name);
    const bool too_many = ops_.size() >= kMostInputOps && !ops_.contains(key);
    if (too_many) key = {0, kOtherInputOps};
    InputOp& op = ops_[key];
    op.name = key.second;
    op.input_class = too_many ? InputClass::kUnknown : one.input_class;
    return op;
  }

  bool Select(const Event& event, Selected& out) const {
    const std::string_view name = CutName(plane_.Of(event).name);
    out.name = name;
    const auto stage = stage_id_.Of(event);
    const auto category = stage_category_.Of(event);
    if (stage && category) {
      out.is_input = true;
      out.stage = stage->Whole();
      out.input_class = ClassOfStage(category->text);
      const std::string_view said = stage_name_.TextOf(event);
      if (!said.empty()) out.name = CutName(said);
      return true;
    }
    if (name.starts_with("Iterator::")) {
      out.is_input = true;
      out.input_class = ClassOfIterator(name);
      return true;
    }
    if (Has(name, "InfeedEnqueue") || name.starts_with("MemcpyHToD")) {
      out.is_input = true;
      out.input_class = InputClass::kEnqueue;
      return true;
    }
    return IsFrameworkOp(name);
  }

  const Plane& plane_;
  const TimeLimit& time_;
  const StatOf stage_id_, stage_name_, stage_category_;
  std::map<std::pair<std::uint64_t, std::string_view>, InputOp> ops_;
};

}  // namespace

std::string_view Name(InputClass input_class) {
  switch (input_class) {
    case InputClass::kEnqueue: return "enqueue";
    case InputClass::kDemandedRead: return "demandedFileRead";
    case InputClass::kAdvancedRead: return "advancedFileRead";
    case InputClass::kPreprocessing: return "preprocessing";
    case InputClass::kUnknown: return "unknown";
  }
  return "";
}

std::vector<InputOp> CollectInputOps(const Trace& trace, const TimeLimit& time) {
  const Plane* host = trace.FindPlane(kHostPlane);
  return host == nullptr ? std::vector<InputOp>() : InputOps(*host, time).Run();
}

}  // namespace mlprof::server::xspace
