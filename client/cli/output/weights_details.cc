#include "client/cli/output/weights_details.h"

#include "client/cli/output/details.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

constexpr std::size_t kMostFilesShown = 20;

// "6.7 billion", "125 million", "4,210".
std::string Count(std::int64_t number) {
  const auto in = [&](double unit, const char* name) {
    return Figure(static_cast<double>(number) / unit) + name;
  };
  if (number >= 1'000'000'000) return in(1e9, " billion");
  if (number >= 1'000'000) return in(1e6, " million");
  std::string digits = std::to_string(number);
  if (digits.size() > 3) digits.insert(digits.size() - 3, ",");
  return digits;
}

std::string ByType(const std::vector<TypedParameters>& by_type) {
  std::string text;
  for (const TypedParameters& typed : by_type) {
    text += (text.empty() ? "" : ", ") + Visible(typed.type) + " " + Text(typed.bytes);
    if (typed.parameters > 0) text += " (" + Count(typed.parameters) + ")";
  }
  return text;
}

std::string About(const WeightsFile& file) {
  if (!file.problem.empty()) return "not read: " + file.problem;
  std::string text = ByType(file.by_type);
  if (!file.object.empty()) text = file.object;
  if (file.training) text += "; and " + Text(*file.training) + " that only training needs";
  if (!file.left_out.empty()) text += "; not counted: " + file.left_out;
  return text;
}

std::string Savings(const ModelWeights& weights) {
  std::string text;
  for (const InSmallerType& smaller : weights.in_smaller_types) {
    const Bytes saved = TotalBytes(weights.by_type) - smaller.bytes;
    text += (text.empty() ? "" : ", ") + Text(smaller.bytes) + " in " + smaller.type + " (" +
            Text(saved) + " less)";
  }
  return text;
}

}  // namespace

std::string WeightsDetails(const ModelWeights& weights,
                           const std::optional<MeasuredMemory>& measured) {
  if (weights.files.empty()) return "";
  Details details;
  details.Heading("Parameters, as its files tell them");
  if (weights.parameters > 0) {
    details.Line("parameters", Count(weights.parameters) + ": " + ByType(weights.by_type));
  }
  if (weights.least_memory) {
    details.Line("needs at least",
                 Text(*weights.least_memory) +
                     ", to hold what these files hold; the runtime, activations and copies come "
                     "on top (estimated)");
  }
  if (measured) {
    details.Line("measured", Text(measured->used) + " at most, and " + Text(measured->requested) +
                                 " recommended by " + measured->profile);
  }
  details.Line("would be", Savings(weights));
  std::size_t shown = 0;
  for (const WeightsFile& file : weights.files) {
    if (++shown > kMostFilesShown) break;
    details.Line(std::string(Name(file.format)), Visible(file.path) + ": " + Visible(About(file)));
  }
  if (weights.files.size() > kMostFilesShown) {
    details.Line("files", "more are not shown here; see --weights -o json");
  }
  if (weights.more) details.Line("files", "there are more than were read; they count for nothing");
  return details.Take();
}

Table WeightsTable(const ModelWeights& weights) {
  Table table{{"PATH", "FORMAT", "PARAMETERS", "SIZE", "TYPES"}, {}};
  for (const WeightsFile& file : weights.files) {
    table.rows.push_back({file.path, std::string(Name(file.format)),
                          std::to_string(Parameters(file.by_type)),
                          std::to_string(file.size.count()), About(file)});
  }
  return table;
}

}  // namespace mlprof::client::cli
