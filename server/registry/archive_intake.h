// Takes an uploaded tar (gzip or not) in: checked, unpacked, hashed, ready to be published.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "common/http/message.h"
#include "common/result/result.h"
#include "common/tar/tar_reader.h"
#include "common/units/bytes.h"
#include "server/storage/content_store.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {

/// An archive in the content store's incoming folder; what is not published goes with it.
class StagedArchive {
 public:
  /// Errors as of ReadTar, kUnavailable for a full disk, and kCancelled at the stop.
  static Result<StagedArchive> Stage(ContentStore& content, const SpooledBody& upload,
                                     const TarLimits& limits = {},
                                     const std::stop_token& stop = {});
  const std::string& sha256() const { return sha256_; }  // of the tar, uncompressed
  Bytes size() const { return size_; }                   // of the files

  /// As PutFile and PutTree.
  Status Publish(ContentStore& content, const ContentClaim& claim);
  /// The same, with the tree in place of one that is damaged.
  Status PublishAnew(ContentStore& content, const ContentClaim& claim);

 private:
  explicit StagedArchive(const ContentStore& content)
      : tar_(content.NewIncomingPath()), tree_(content.NewIncomingPath()) {}

  RemovedAtEnd tar_;
  RemovedAtEnd tree_;
  std::string sha256_;
  Bytes size_;
};

}  // namespace mlprof::server
