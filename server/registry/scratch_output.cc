#include "server/registry/scratch_output.h"

#include <utility>

#include "common/units/size_text.h"

namespace mlprof::server {
namespace {

constexpr Bytes kStretch = MiB(64);
constexpr Bytes kStaysFree = MiB(256);

Error DiskFull() { return Unavailable("the document cannot be written: is the disk full?"); }

}  // namespace

Bytes RoomFor(const std::filesystem::path& file) {
  std::error_code error;
  const auto space = std::filesystem::space(file.parent_path(), error);
  return error ? Bytes() : Bytes(static_cast<std::int64_t>(space.available));
}

ScratchOutput::ScratchOutput(std::shared_ptr<const std::filesystem::path> file, Bytes most,
                             Room room)
    : file_(std::move(file)),
      most_(most),
      room_(std::move(room)),
      out_(*file_, std::ios::binary | std::ios::trunc) {}

Status ScratchOutput::Write(std::string_view piece) {
  written_ += Bytes(static_cast<std::int64_t>(piece.size()));
  if (written_ > most_) {
    return Fail(ErrorCode::kTooLarge, "the document is larger than " + SizeText(most_) +
                                          ": ask for a window of the trace (fromMs, toMs), or for "
                                          "a resolution");
  }
  if (written_ > allowed_) {
    const Bytes room = room_();
    if (room < kStretch + kStaysFree) {
      return Fail(Unavailable("the disk of " + file_->parent_path().string() + " has only " +
                              SizeText(room) +
                              " left, which is too little for this document: make "
                              "room there, or ask for a window of the trace or a resolution"));
    }
    allowed_ = written_ + kStretch;
  }
  out_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  if (!out_) return Fail(DiskFull());
  return {};
}

Status ScratchOutput::Finish() {
  out_.close();
  if (!out_) return Fail(DiskFull());
  return {};
}

}  // namespace mlprof::server
