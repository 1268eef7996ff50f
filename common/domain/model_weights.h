// What a model's files say of its parameters before anything runs. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units/bytes.h"

namespace mlprof {

enum class WeightsFormat {
  kSafetensors,
  kGguf,
  kOnnx,
  kTensorFlow,  // the index of a SavedModel's variables, or of a checkpoint
  kPyTorch,     // a zip archive, as torch.save and TorchScript write it
  kNumPy,       // .npy and .npz
  kPickle,      // scikit-learn and others; its size alone
};
/// "safetensors", "GGUF", "ONNX"…
std::string_view Name(WeightsFormat format);
std::optional<WeightsFormat> ParseWeightsFormat(std::string_view name);

/// The parameters that have one type.
struct TypedParameters {
  std::string type = {};  // "float32", "bfloat16"; of GGUF's quantised ones its own name, "Q4_K"
  std::int64_t parameters = 0;
  Bytes bytes = {};
  bool operator==(const TypedParameters&) const = default;
};

/// One file, and those that hold its data.
struct WeightsFile {
  std::string path = {};  // within the model
  Bytes size = {};        // of the file itself
  WeightsFormat format = WeightsFormat::kPickle;
  std::int64_t tensors = 0;
  std::vector<TypedParameters> by_type = {};  // the most bytes first
  std::optional<Bytes> training = {};  // an optimizer's state, which serving does not load; in none
                                       // of the above
  std::string object = {};    // the class that a pickle holds, "sklearn.svm._classes.SVC"; or ""
  std::string problem = {};   // why it could not be read; then nothing above is known
  std::string left_out = {};  // why serving does not load it beside the others; "" where it counts
};

/// The parameters' bytes were they all of this type.
struct InSmallerType {
  std::string type;
  Bytes bytes;
  bool operator==(const InSmallerType&) const = default;
};

struct ModelWeights {
  std::vector<WeightsFile> files = {};  // by path
  bool more = false;                    // there are more than are read
  std::int64_t parameters = 0;          // of the files that count
  std::vector<TypedParameters> by_type = {};
  /// What serving must hold at least: the parameters as they are stored. nullopt where no file
  /// tells them.
  std::optional<Bytes> least_memory = {};
  std::vector<InSmallerType> in_smaller_types = {};  // that are smaller
};

/// How many there are in all types, and their bytes.
std::int64_t Parameters(const std::vector<TypedParameters>& by_type);
Bytes TotalBytes(const std::vector<TypedParameters>& by_type);

}  // namespace mlprof
