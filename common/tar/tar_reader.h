// A strict reader of tar archives: ustar, GNU long names, pax paths and sizes; regular files and
// directories only. Written so that no two readers can disagree about an archive it accepts:
// doubtful headers are refused, not guessed at.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/result/result.h"
#include "common/tar/byte_source.h"
#include "common/units/bytes.h"

namespace mlprof {

/// Chosen, not measured: above the models that are known. They bound what one upload may take of
/// the disk, of its inodes (entries) and of memory (names).
struct TarLimits {
  Bytes total_size = GiB(16);  // of the files, unpacked
  std::int64_t entries = 100'000;
  int depth = 64;
  std::size_t name_bytes = 4096;
  Bytes all_names = MiB(64);  // and extended headers
};

struct TarContents {
  std::int64_t files = 0;
  Bytes size;  // of the files
};

/// Takes the entries in the archive's order. Paths are relative and safe ("a/b"); folders that the
/// archive does not name come before what lies in them.
class TarSink {
 public:
  virtual ~TarSink() = default;
  virtual Status MakeDirectory(const std::string& path) = 0;
  virtual Status BeginFile(const std::string& path) = 0;
  virtual Status Write(std::span<const char> bytes) = 0;
  virtual Status EndFile() = 0;
};

/// Reads to the source's end. kInvalidArgument, naming the entry, for links, devices, unsafe,
/// repeated or contradictory names, damaged or truncated archives and archives without a file;
/// kTooLarge for a broken limit; the sink's own errors as they are.
Result<TarContents> ReadTar(ByteSource& source, const TarLimits& limits, TarSink& sink);

}  // namespace mlprof
