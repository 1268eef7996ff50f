#include "server/analysis/model_files/read_weights.h"

#include <algorithm>
#include <array>

#include "server/analysis/model_files/byte_cursor.h"
#include "server/analysis/model_files/formats.h"
#include "server/analysis/model_files/sorted_table.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMostWordsOfProblem = 500;

using Reader = Result<WeightsFile> (*)(RandomBytes& bytes);

// A file that has the name, or the first bytes, is read so; an empty one of the two is not asked.
struct Sign {
  std::string_view first_bytes;
  std::string_view name_ends;
  WeightsFormat format;
  Reader read;
};
constexpr std::array<Sign, 8> kSigns = {
    {{"GGUF", ".gguf", WeightsFormat::kGguf, ReadGguf},
     {"\x93NUMPY", ".npy", WeightsFormat::kNumPy, ReadNumPyArray},
     {"PK\x03\x04", ".npz", WeightsFormat::kPyTorch, ReadZipArchive},
     {"", ".safetensors", WeightsFormat::kSafetensors, ReadSafetensors},
     {"", ".onnx", WeightsFormat::kOnnx, ReadOnnx},
     {"", "variables.index", WeightsFormat::kTensorFlow, ReadTensorBundle},
     {"", ".pkl", WeightsFormat::kPickle, ReadPickle},
     {"", ".pickle", WeightsFormat::kPickle, ReadPickle}}};

std::string FirstBytes(RandomBytes& bytes) {
  std::string first(std::min<std::uint64_t>(bytes.size(), 8), '\0');
  return bytes.Read(0, first) ? first : "";
}

bool BeginsAsPickle(std::string_view first) {
  return first.size() > 2 && first[0] == '\x80' && first[1] >= 2 && first[1] <= 5;
}

// What joblib and others pack a pickle with: zlib, gzip, bzip2, xz, lz4.
bool IsPacked(std::string_view first) {
  constexpr std::array<std::string_view, 5> kPacked = {"\x78", "\x1f\x8b", "BZh",
                                                       "\xfd"
                                                       "7zXZ",
                                                       "\x04\x22\x4d\x18"};
  return std::ranges::any_of(kPacked, [&](auto words) { return first.starts_with(words); });
}

// torch.save before 1.6: a pickle of a number of its own, then others, then the data.
bool IsPyTorchOfOld(RandomBytes& bytes) {
  constexpr std::string_view kNumber = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  std::string first(std::min<std::uint64_t>(bytes.size(), kNumber.size()), '\0');
  return bytes.Read(0, first) && first == kNumber;
}

bool IsNamedAsPickle(const std::string& path) {
  constexpr std::array<std::string_view, 4> kNames = {".pkl", ".pickle", ".joblib", ".sav"};
  return std::ranges::any_of(kNames, [&](auto name) { return path.ends_with(name); });
}

std::optional<WeightsFile> Read(RandomBytes& bytes, WeightsFormat format, Reader reader) {
  Result<WeightsFile> read = Caught([&] { return reader(bytes); });
  if (!read && read.error().code() == ErrorCode::kNotFound) return std::nullopt;
  if (read) return *read;
  WeightsFile file;
  file.format = format;
  file.problem = read.error().message();
  return file;
}

std::optional<WeightsFile> Recognise(RandomBytes& bytes, const std::string& path) {
  const std::string first = FirstBytes(bytes);
  if (IsNamedAsPickle(path) && IsPacked(first)) {
    WeightsFile file;
    file.problem = "it is compressed: what it takes unpacked is not known";
    return file;
  }
  for (const Sign& sign : kSigns) {
    const bool begins = !sign.first_bytes.empty() && first.starts_with(sign.first_bytes);
    if (begins || path.ends_with(sign.name_ends)) return Read(bytes, sign.format, sign.read);
  }
  if (path.ends_with(".index") && EndsAsSortedTable(bytes)) {
    return Read(bytes, WeightsFormat::kTensorFlow, ReadTensorBundle);
  }
  if (!BeginsAsPickle(first)) return std::nullopt;
  if (IsPyTorchOfOld(bytes)) {
    WeightsFile file;
    file.format = WeightsFormat::kPyTorch;
    file.problem = "it is in PyTorch's format of before 1.6, which is not read; save it again";
    return file;
  }
  auto pickle = Read(bytes, WeightsFormat::kPickle, ReadPickle);
  // Two bytes are no proof: what cannot be followed is a pickle only by its name.
  if (pickle && !pickle->problem.empty() && !IsNamedAsPickle(path)) return std::nullopt;
  return pickle;
}

}  // namespace

std::optional<WeightsFile> ReadWeights(RandomBytes& bytes, const std::string& path) {
  auto file = Recognise(bytes, path);
  if (!file) return std::nullopt;
  file->path = path;
  if (file->problem.size() > kMostWordsOfProblem) file->problem.resize(kMostWordsOfProblem);
  file->size = Bytes(static_cast<std::int64_t>(bytes.size()));
  return file;
}

}  // namespace mlprof::server
