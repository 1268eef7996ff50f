// Content that this machine keeps in both forms: as a tar, and unpacked.
#pragma once

#include <functional>
#include <utility>

#include "server/runtime/content_input.h"

namespace mlprof::server {

class UnpackedContent final : public ContentReader {
 public:
  using TarOpener = std::function<Result<std::unique_ptr<ByteSource>>()>;

  /// `owner` is whose files they are, for messages: "the source". `open_tar` is called from any
  /// thread.
  UnpackedContent(std::string owner, std::filesystem::path folder, TarOpener open_tar)
      : owner_(std::move(owner)), folder_(std::move(folder)), open_tar_(std::move(open_tar)) {}

  std::optional<std::filesystem::path> LocalDirectory() const override { return folder_; }
  Result<std::unique_ptr<ByteSource>> OpenTar() const override { return open_tar_(); }
  /// Follows no link out of the folder.
  Result<std::string> ReadFile(const std::string& path, Bytes most) const override;

 private:
  const std::string owner_;
  const std::filesystem::path folder_;
  const TarOpener open_tar_;
};

}  // namespace mlprof::server
