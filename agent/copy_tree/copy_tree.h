// Copies a tree that strangers made, for mlprof-agent --copy-tree: what an environment's packages
// installed becomes part of an image this way, while nothing of theirs runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::agent {

struct CopyBounds {
  std::int64_t bytes;    // as files say their sizes, so that holes and hard links count in full
  std::int64_t entries;  // files, folders and links
};

struct CopyReport {
  std::int64_t bytes = 0;
  std::int64_t entries = 0;
  std::int64_t left_out = 0;  // what is no file, folder or link, or means a removal to image layers
};

/// Copies files, folders and symbolic links of `from` into `to`, which is made where it is missing;
/// rights without setuid, setgid and sticky bits, times as they are, owned by who runs this.
/// Follows no link of `from` and leaves neither tree. `from` must not change meanwhile. kTooLarge
/// beyond the bounds, or for folders nested too deeply for an image.
Result<CopyReport> CopyTree(const std::filesystem::path& from, const std::filesystem::path& to,
                            const CopyBounds& bounds);

/// The program's mode: FROM TO BYTES ENTRIES. Prints what was copied; the exit status.
int RunCopyTree(int argc, char** argv);

}  // namespace mlprof::agent
