// The readers of each format. They read what describes the tensors and skip the tensors; what is
// hostile or cut gives kInvalidArgument with the reason. Nothing in a file is ever executed. Pure
// over RandomBytes.
#pragma once

#include <string_view>

#include "common/domain/model_weights.h"
#include "common/result/result.h"
#include "server/analysis/model_files/random_bytes.h"

namespace mlprof::server {

/// The format of Hugging Face's safetensors: a length, a JSON header, the data.
Result<WeightsFile> ReadSafetensors(RandomBytes& bytes);
/// llama.cpp's GGUF, versions 1 to 3.
Result<WeightsFile> ReadGguf(RandomBytes& bytes);
/// An ONNX ModelProto: initializers and constants, also of subgraphs and of external data.
Result<WeightsFile> ReadOnnx(RandomBytes& bytes);
/// The index of a TensorFlow tensor bundle: variables.index of a SavedModel, or a checkpoint's.
Result<WeightsFile> ReadTensorBundle(RandomBytes& bytes);
/// One array as numpy.save writes it.
Result<WeightsFile> ReadNumPyArray(RandomBytes& bytes);
/// A zip archive: of torch.save, of TorchScript or of numpy.savez. kNotFound where it is another.
Result<WeightsFile> ReadZipArchive(RandomBytes& bytes);
/// A pickle, whose classes are named and whose objects are never made.
Result<WeightsFile> ReadPickle(RandomBytes& bytes);

}  // namespace mlprof::server
