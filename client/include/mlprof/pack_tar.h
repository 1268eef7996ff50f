// Packs files for upload. The same files give the same bytes: entries sorted, no times, no owners.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof::client {

enum class TarLayout {
  kUnderBaseName,  // a folder as "base/…", a file as "base"
  kContentAtRoot,  // a folder's content at the root
};

/// One more file beside what is packed.
struct ExtraFile {
  std::filesystem::path file;
  std::string path;  // in the tar
};

struct PackedTar {
  std::string sha256;  // hex, of the whole tar
  Bytes size;
};

/// Writes `what` (a file or a folder) to `tar`. Left out: __pycache__, .git, .venv. A link to a
/// file is packed as that file; kInvalidArgument for any other link, for sockets and devices, for
/// what cannot be read, and for a file that changes meanwhile.
Result<PackedTar> PackTar(const std::filesystem::path& what, TarLayout layout,
                          const std::filesystem::path& tar,
                          const std::vector<ExtraFile>& extra = {});

/// The name a path is registered under: its last part; characters no name may have become '-'.
std::string BaseName(const std::filesystem::path& path);

}  // namespace mlprof::client
