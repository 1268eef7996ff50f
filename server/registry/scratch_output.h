// A document that is written to a file of its own before it is sent, because it may be of some GiB.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string_view>

#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof::server {

/// What the disk that a file lies on has free for programs such as this.
Bytes RoomFor(const std::filesystem::path& file);

/// Ends where it would fill the disk: that is needed for what runs. One thread.
class ScratchOutput {
 public:
  using Room = std::function<Bytes()>;

  /// `room` is asked before every 64 MiB, of which 256 MiB must stay free.
  ScratchOutput(std::shared_ptr<const std::filesystem::path> file, Bytes most, Room room);

  /// kTooLarge beyond `most`; kUnavailable where the disk has not the room, or is full.
  Status Write(std::string_view piece);
  /// kUnavailable where not all of it could be written.
  Status Finish();

 private:
  const std::shared_ptr<const std::filesystem::path> file_;
  const Bytes most_;
  const Room room_;
  std::ofstream out_;
  Bytes written_;
  Bytes allowed_;  // up to here the disk was asked
};

}  // namespace mlprof::server
