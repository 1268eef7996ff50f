// The traces of profiler servers that cannot send them (jaxlib before 0.7.2): such a server writes
// each into a file on its program's own disk.
#pragma once

#include <filesystem>

#include "common/http/message.h"
#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof::server::profiler {

struct OlderServerFile {
  std::filesystem::path root;  // where the program's own "/" is seen; "" where it is not
  std::filesystem::path path;  // there: "/tmp/mlprof-…/box.xplane.pb", in a folder of its own
};

/// A copy below `folder`. The program may be hostile: no link is followed, nothing but a file is
/// opened for reading, and no more than `most` of it is taken. The file and its folder are removed,
/// whatever came of it. kNotFound where it is not seen from here, kTooLarge, kUnavailable where the
/// disk is full.
Result<SpooledBody> CopyOlderServerFile(const OlderServerFile& file,
                                        const std::filesystem::path& folder, Bytes most);

}  // namespace mlprof::server::profiler
