#include "server/registry/row_upload.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "server/registry/byte_source.h"
#include "server/registry/row_formats.h"
#include "server/registry/row_sink.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Whole lines of a file, some at a time.
class FileLines {
 public:
  explicit FileLines(const std::filesystem::path& file)
      : file_(file), fd_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}

  /// Lines with their ends, but for the last one of the file; empty behind it. Valid until the next
  /// call.
  Result<std::string_view> Next() {
    if (!fd_) return Fail(FromErrno(errno, "opening " + file_.string()));
    text_.erase(0, given_);
    given_ = 0;
    while (!at_end_) {
      const std::size_t before = text_.size();
      MLPROF_TRY(ReadPiece());
      const std::size_t last = std::string_view(text_).substr(before).rfind('\n');
      if (last != std::string_view::npos) return Give(before + last + 1);
      if (text_.size() > static_cast<std::size_t>(kMaxDatasetText.count())) {
        return Fail(ErrorCode::kTooLarge, "a line of the dataset has more than 256 MiB");
      }
    }
    return Give(text_.size());
  }

 private:
  std::string_view Give(std::size_t bytes) {
    given_ = bytes;
    std::string_view lines = std::string_view(text_).substr(0, bytes);
    if (at_begin_ && lines.starts_with(kByteOrderMark)) lines.remove_prefix(kByteOrderMark.size());
    at_begin_ = false;
    return lines;
  }

  Status ReadPiece() {
    const std::size_t before = text_.size();
    text_.resize(before + kPiece);
    ssize_t got = -1;
    do {
      got = read(fd_.get(), text_.data() + before, kPiece);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return Fail(FromErrno(errno, "reading " + file_.string()));
    text_.resize(before + static_cast<std::size_t>(got));
    at_end_ = got == 0;
    return {};
  }

  const std::filesystem::path file_;
  const FileDescriptor fd_;
  std::string text_;
  std::size_t given_ = 0;
  bool at_begin_ = true;
  bool at_end_ = false;
};

Status DecodeLines(LineTaker take, const std::filesystem::path& file, RowSink& sink) {
  RowCollector rows(sink);
  FileLines pieces(file);
  while (rows.WantsMore()) {
    MLPROF_LET(piece, pieces.Next());
    if (piece.empty()) break;
    LineReader lines(piece);
    while (rows.WantsMore()) {
      const auto line = lines.Next();
      if (!line) break;
      take(rows, *line);
    }
  }
  return std::move(rows).Finish();
}

}  // namespace

Status DecodeUpload(std::string_view content_type, const std::filesystem::path& file,
                    RowSink& rows) {
  MLPROF_LET(take, LinesOf(content_type));
  if (take != nullptr) return DecodeLines(take, file, rows);
  MLPROF_LET(text, ReadWholeFile(file, kMaxDatasetText, "a dataset of this type"));
  return DecodeRows(content_type, text, rows);
}

}  // namespace mlprof::server
