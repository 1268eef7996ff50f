// What a profiler server of jaxlib before 0.7.2 does: it answers with an empty message, and writes
// the trace below the folder that it was told, on its program's own disk.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "server/devices/xspace/wire.h"
#include "tests/fakes/fake_profiler_server.h"

namespace mlprof::fakes {

/// `write`: given the file's place below `root`, the program's own "/".
inline ProfilerScript OlderProfiler(const std::filesystem::path& root,
                                    std::function<void(const std::filesystem::path& file)> write) {
  ProfilerScript script;
  script.on_request = [root, write = std::move(write)](std::string_view request) {
    std::string folder;
    std::string session;
    std::string host;
    server::xspace::FieldReader fields(request);
    for (server::xspace::Field field; fields.Next(field);) {
      if (field.number == 5) folder = field.bytes;
      if (field.number == 6) session = field.bytes;
      if (field.number == 7) host = field.bytes;
    }
    const std::filesystem::path file =
        root / std::filesystem::path(folder).relative_path() / session / (host + ".xplane.pb");
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    write(file);
  };
  return script;
}

inline ProfilerScript OlderProfilerWriting(const std::filesystem::path& root, std::string trace) {
  return OlderProfiler(root, [trace = std::move(trace)](const std::filesystem::path& file) {
    std::ofstream(file, std::ios::binary) << trace;
  });
}

}  // namespace mlprof::fakes
