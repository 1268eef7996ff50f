#include "server/analysis/model_files/weights_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "server/analysis/model_files/element_type.h"
#include "server/analysis/model_files/tally.h"

namespace mlprof::server {
namespace {

// Shared tensors are stored once by one format and twice by another.
constexpr double kSameParameters = 0.02;
constexpr double kWorthTelling = 0.99;

// As much as one file may tell (tally.cc): sums of hostile files stay there, and add up.
constexpr std::int64_t kMostOfASum = std::int64_t{1} << 55;

std::int64_t Sum(std::int64_t a, std::int64_t b) {
  return a > kMostOfASum - std::min(b, kMostOfASum) ? kMostOfASum : a + b;
}

// "model-00001-of-00005.safetensors" is a part of "model.safetensors".
std::string WithoutShard(const std::string& path) {
  constexpr std::string_view kPattern = "-00000-of-00000";
  for (std::size_t at = path.rfind("-of-"); at != std::string::npos && at >= 6;) {
    const std::string_view shard = std::string_view(path).substr(at - 6, kPattern.size());
    const bool fits =
        shard.size() == kPattern.size() && std::ranges::equal(shard, kPattern, [](char c, char p) {
          return p == '0' ? c >= '0' && c <= '9' : c == p;
        });
    if (!fits) break;
    return path.substr(0, at - 6) + path.substr(at - 6 + kPattern.size());
  }
  return path;
}

// One file, or all shards of one.
struct WeightsSet {
  std::string path;
  WeightsFormat format;
  std::vector<WeightsFile*> files;
  std::map<std::string, TypedParameters> by_type;

  std::int64_t parameters() const {
    std::int64_t sum = 0;
    for (const auto& [type, typed] : by_type) sum += typed.parameters;
    return sum;
  }
  Bytes bytes() const {
    Bytes sum;
    for (const auto& [type, typed] : by_type) sum += typed.bytes;
    return sum;
  }
};

void AddTo(std::map<std::string, TypedParameters>& sums,
           const std::vector<TypedParameters>& by_type) {
  for (const TypedParameters& typed : by_type) {
    TypedParameters& sum = sums[typed.type];
    sum.type = typed.type;
    sum.parameters = Sum(sum.parameters, typed.parameters);
    sum.bytes = Bytes(Sum(sum.bytes.count(), typed.bytes.count()));
  }
}

std::vector<WeightsSet> Sets(std::vector<WeightsFile>& files) {
  std::map<std::string, WeightsSet> sets;
  for (WeightsFile& file : files) {
    if (!file.problem.empty()) continue;
    WeightsSet& set = sets[WithoutShard(file.path)];
    set.path = WithoutShard(file.path);
    set.format = file.format;
    set.files.push_back(&file);
    AddTo(set.by_type, file.by_type);
  }
  std::vector<WeightsSet> list;
  for (auto& [path, set] : sets) list.push_back(std::move(set));
  return list;
}

// Q5_K_S and Q5_K_M have the same types, in other shares.
bool HaveSameTypes(const WeightsSet& a, const WeightsSet& b) {
  return std::ranges::equal(a.by_type, b.by_type, [](const auto& one, const auto& other) {
    return one.first == other.first && one.second.parameters == other.second.parameters;
  });
}

// Several of the same architecture, format and precision are an ensemble: all are loaded.
bool AreTheSame(const WeightsSet& a, const WeightsSet& b) {
  const auto few = static_cast<double>(std::min(a.parameters(), b.parameters()));
  const auto many = static_cast<double>(std::max(a.parameters(), b.parameters()));
  if (few == 0 || few < (1 - kSameParameters) * many) return false;
  return a.format != b.format || !HaveSameTypes(a, b);
}

Bytes InType(const TypedParameters& typed, int bits) {
  const ElementType* type = FindElementType(typed.type);
  if (type == nullptr || !type->floating || type->bits <= bits) return typed.bytes;
  return Bytes(BytesOf(typed.parameters, bits).value_or(0));
}

std::vector<InSmallerType> SmallerTypes(const std::vector<TypedParameters>& by_type) {
  std::vector<InSmallerType> smaller;
  for (const auto& [name, bits] : {std::pair{"bfloat16", 16}, {"float16", 16}, {"int8", 8}}) {
    Bytes bytes;
    for (const TypedParameters& typed : by_type) bytes += InType(typed, bits);
    const Bytes now = TotalBytes(by_type);
    if (bytes < Scale(now, kWorthTelling)) smaller.push_back({name, bytes});
  }
  return smaller;
}

// The smallest set first, so that it is what the others are the same as.
void LeaveOutCopies(std::vector<WeightsSet>& sets) {
  std::ranges::stable_sort(sets, {}, [](const WeightsSet& set) { return set.bytes(); });
  std::vector<WeightsSet> counted;
  for (WeightsSet& set : sets) {
    const auto same = std::ranges::find_if(
        counted, [&](const WeightsSet& other) { return AreTheSame(set, other); });
    if (same == counted.end()) {
      counted.push_back(std::move(set));
      continue;
    }
    for (WeightsFile* file : set.files) {
      file->left_out = "the same parameters as " + same->path + ", which is smaller or as large";
    }
  }
  sets = std::move(counted);
}

}  // namespace

ModelWeights SummariseWeights(std::vector<WeightsFile> files) {
  std::ranges::sort(files, {}, &WeightsFile::path);
  ModelWeights weights;
  weights.files = std::move(files);
  std::vector<WeightsSet> sets = Sets(weights.files);
  LeaveOutCopies(sets);
  std::map<std::string, TypedParameters> sums;
  Bytes least;
  for (const WeightsSet& set : sets) {
    for (const auto& [type, typed] : set.by_type) AddTo(sums, {typed});
    least = Bytes(Sum(least.count(), set.bytes().count()));
    // What a pickle makes hardly takes less than the pickle, unless it holds its model as text.
    for (const WeightsFile* file : set.files) {
      if (file->format == WeightsFormat::kPickle) {
        least = Bytes(Sum(least.count(), file->size.count()));
      }
    }
  }
  for (const auto& [type, typed] : sums) weights.by_type.push_back(typed);
  std::ranges::stable_sort(weights.by_type,
                           [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  weights.parameters = Parameters(weights.by_type);
  weights.in_smaller_types = SmallerTypes(weights.by_type);
  if (least > Bytes()) weights.least_memory = least;
  return weights;
}

}  // namespace mlprof::server
