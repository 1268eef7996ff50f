// What is put into containers: the files of models and of a source, known by their content. Where
// they lie is the controller's own matter; a runtime on another machine reads them as a tar.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "common/result/result.h"
#include "common/tar/byte_source.h"
#include "common/units/bytes.h"

namespace mlprof::server {

/// How files are read that were compared with their digest before. Thread-safe. What it reads
/// stays there as long as the profile that names it is not finished.
class ContentReader {
 public:
  virtual ~ContentReader() = default;
  /// The folder that holds them on this machine, read-only, for a runtime whose containers can
  /// mount it; nullopt where there is none.
  virtual std::optional<std::filesystem::path> LocalDirectory() const = 0;
  /// All of them as a tar, uncompressed, whose SHA-256 is the digest. Any number of times.
  virtual Result<std::unique_ptr<ByteSource>> OpenTar() const = 0;
  /// One of them, whole, by its path among them. kInvalidArgument, which names it, where it is none
  /// of them or larger than `most`.
  virtual Result<std::string> ReadFile(const std::string& path, Bytes most) const = 0;
};

/// A model's files or a source's, which a container has read-only.
struct ContentInput {
  std::string sha256;                           // of the tar, as the content store knows it
  Bytes size;                                   // of the files, unpacked
  std::string inside;                           // the folder at which the container finds them
  std::shared_ptr<const ContentReader> reader;  // never null
};

}  // namespace mlprof::server
