// Any folder as what a container is given. Its tar is not to be had.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "server/runtime/unpacked_content.h"

namespace mlprof::fakes {

inline std::shared_ptr<const server::ContentReader> FolderReader(std::filesystem::path folder) {
  return std::make_shared<server::UnpackedContent>(
      "the source", std::move(folder), []() -> Result<std::unique_ptr<ByteSource>> {
        return Fail(NotFound("a folder of a test has no tar"));
      });
}

inline server::ContentInput FolderInput(std::filesystem::path folder, std::string inside) {
  return {"", Bytes(), std::move(inside), FolderReader(std::move(folder))};
}

}  // namespace mlprof::fakes
