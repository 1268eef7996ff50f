#include "client/cli/part_file.h"

#include <utility>

namespace mlprof::client::cli {

PartFile::PartFile(std::filesystem::path file)
    : file_(std::move(file)), part_(file_.string() + ".part") {}

PartFile::~PartFile() {
  std::error_code error;
  std::filesystem::remove(part_, error);
}

Status PartFile::Keep() {
  std::error_code error;
  std::filesystem::rename(part_, file_, error);
  if (error) return Fail(FromErrno(error.value(), "cannot write " + file_.string()));
  return {};
}

}  // namespace mlprof::client::cli
