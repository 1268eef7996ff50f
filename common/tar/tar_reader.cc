#include "common/tar/tar_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/tar/tar_header.h"
#include "common/tar/tar_path.h"

namespace mlprof {
namespace {

constexpr std::int64_t kMaxExtension = 1 << 20;  // bytes of one pax header or long name
constexpr std::int64_t kMaxPadding = 16 << 20;   // zeros behind the end
constexpr std::size_t kBufferBytes = 256 << 10;

enum class Seen { kImpliedDirectory, kDirectory, kFile };

// The state of one pass over one archive.
class TarPass {
 public:
  TarPass(ByteSource& source, const TarLimits& limits, TarSink& sink)
      : source_(source), limits_(limits), sink_(sink), buffer_(kBufferBytes) {}

  Result<TarContents> Run();

 private:
  using Block = std::array<char, kTarBlock>;

  Status ReadBlock(Block& block);
  Status OneHeader(const Block& block);
  Status ReadExtension(const TarHeader& header);
  Result<std::string> ReadText(std::int64_t size);
  Status Entry(const TarHeader& header);
  Result<std::int64_t> TrueSize(const TarHeader& header) const;
  Status Count(const std::string& path, std::int64_t size);
  Status File(const std::string& path, std::int64_t size);
  Status Directory(const std::string& path);
  Status ImplyParents(const std::string& path);
  Status Data(std::int64_t size);
  Status Finish();

  ByteSource& source_;
  const TarLimits& limits_;
  TarSink& sink_;
  std::vector<char> buffer_;
  TarContents contents_;
  std::int64_t entries_ = 0;
  std::int64_t name_bytes_ = 0;
  std::unordered_map<std::string, Seen> seen_;
  // From headers that speak of the entry after them.
  std::optional<std::string> long_name_;
  std::optional<PaxRecords> pax_;
};

Error Truncated() { return InvalidArgument("the tar is cut short"); }
Error TooLarge(std::string message) { return Error(ErrorCode::kTooLarge, std::move(message)); }

Error NamesTooLong() {
  return TooLarge("the names and extended headers in the tar are too long altogether");
}

const char* Refused(char type) {
  switch (type) {
    case '1': return "is a hard link";
    case '2':
    case 'K': return "is a symbolic link";
    case '3':
    case '4': return "is a device";
    case '6': return "is a fifo";
    case 'S': return "is a sparse file";
    default: return "is of a kind that is not taken";
  }
}

Result<TarContents> TarPass::Run() {
  for (;;) {
    Block block;
    MLPROF_TRY(ReadBlock(block));
    if (IsZeroBlock(block)) break;
    MLPROF_TRY(OneHeader(block));
  }
  if (long_name_ || pax_) return Fail(InvalidArgument("the tar ends after an extended header"));
  Block second;
  MLPROF_TRY(ReadBlock(second));
  if (!IsZeroBlock(second)) return Fail(InvalidArgument("the tar goes on behind its end"));
  MLPROF_TRY(Finish());
  if (contents_.files == 0) return Fail(InvalidArgument("the tar holds no file"));
  return contents_;
}

Status TarPass::ReadBlock(Block& block) {
  MLPROF_LET(got, ReadFully(source_, block));
  if (got != block.size()) return Fail(Truncated());
  return {};
}

Status TarPass::OneHeader(const Block& block) {
  MLPROF_LET(header, DecodeTarHeader(block));
  switch (header.type) {
    case 'x':
    case 'g':
    case 'L': return ReadExtension(header);
    default: return Entry(header);
  }
}

Status TarPass::ReadExtension(const TarHeader& header) {
  if (++entries_ > limits_.entries) return Fail(TooLarge("the tar has too many entries"));
  name_bytes_ += header.size;
  if (name_bytes_ > limits_.all_names.count()) return Fail(NamesTooLong());
  MLPROF_LET(text, ReadText(header.size));
  if (header.type == 'L') {
    if (long_name_) return Fail(InvalidArgument("the tar gives two long names to one entry"));
    if (text.ends_with('\0')) text.pop_back();
    long_name_ = std::move(text);
    return {};
  }
  MLPROF_LET(records, DecodePaxRecords(text));
  if (header.type == 'g') {
    if (!records.path && !records.size) return {};
    return Fail(InvalidArgument("a global pax header gives a path or a size to every entry"));
  }
  if (pax_) return Fail(InvalidArgument("the tar gives two pax headers to one entry"));
  pax_ = std::move(records);
  return {};
}

Result<std::string> TarPass::ReadText(std::int64_t size) {
  if (size > kMaxExtension) return Fail(TooLarge("an extended header of the tar is too large"));
  const auto wanted = static_cast<std::size_t>(size);
  std::string text((wanted + kTarBlock - 1) / kTarBlock * kTarBlock, '\0');
  MLPROF_LET(got, ReadFully(source_, text));
  if (got != text.size()) return Fail(Truncated());
  text.resize(wanted);
  return text;
}

Result<std::int64_t> TarPass::TrueSize(const TarHeader& header) const {
  if (!pax_ || !pax_->size || *pax_->size == header.size) return header.size;
  // Only a size the plain field cannot hold may differ from it.
  const bool cannot_hold =
      *pax_->size > kLargestOctalSize && (header.size == 0 || header.size == kLargestOctalSize);
  if (!cannot_hold) {
    return Fail(InvalidArgument("the entry " + Quoted(header.name) + " has two different sizes"));
  }
  return *pax_->size;
}

Status TarPass::Entry(const TarHeader& header) {
  const bool has_both = long_name_ && pax_ && pax_->path;
  if (has_both && *long_name_ != *pax_->path) {
    return Fail(InvalidArgument("the entry " + Quoted(*long_name_) + " has two different names"));
  }
  const std::string name = pax_ && pax_->path ? *pax_->path
                           : long_name_       ? *long_name_
                                              : header.name;
  MLPROF_LET(size, TrueSize(header));
  long_name_.reset();
  pax_.reset();
  const bool is_directory = header.type == '5';
  if (!is_directory && header.type != '0' && header.type != '\0') {
    return Fail(InvalidArgument("the entry " + Quoted(name) + " " + Refused(header.type) +
                                "; only files and folders are taken"));
  }
  MLPROF_LET(path, SafeTarPath(name, limits_.name_bytes, limits_.depth));
  if (is_directory ? size != 0 : (name.ends_with('/') || path.empty())) {
    return Fail(
        InvalidArgument("the entry " + Quoted(name) + " is a file and a folder at the same time"));
  }
  MLPROF_TRY(Count(path, size));
  return is_directory ? Directory(path) : File(path, size);
}

Status TarPass::Count(const std::string& path, std::int64_t size) {
  if (++entries_ > limits_.entries) return Fail(TooLarge("the tar has too many entries"));
  name_bytes_ += static_cast<std::int64_t>(path.size());
  if (name_bytes_ > limits_.all_names.count()) {
    return Fail(NamesTooLong());
  }
  // The sum is compared without being made, so that no size can overflow it.
  if (size > limits_.total_size.count() - contents_.size.count()) {
    return Fail(TooLarge("with the entry " + Quoted(path) + " the tar unpacks to more than " +
                         std::to_string(limits_.total_size.count()) + " bytes"));
  }
  contents_.size += Bytes(size);
  return {};
}

Status TarPass::ImplyParents(const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const auto [parent, is_new] = seen_.try_emplace(path.substr(0, slash), Seen::kImpliedDirectory);
    if (parent->second == Seen::kFile) {
      return Fail(InvalidArgument("the entry " + Quoted(path) + " lies in a file"));
    }
    if (!is_new) continue;
    name_bytes_ += static_cast<std::int64_t>(slash);
    MLPROF_TRY(sink_.MakeDirectory(parent->first));
  }
  return {};
}

Status TarPass::Directory(const std::string& path) {
  if (path.empty()) return {};
  MLPROF_TRY(ImplyParents(path));
  const auto [entry, is_new] = seen_.try_emplace(path, Seen::kDirectory);
  if (is_new) return sink_.MakeDirectory(path);
  if (entry->second != Seen::kImpliedDirectory) {
    return Fail(InvalidArgument("the entry " + Quoted(path) + " is there twice"));
  }
  entry->second = Seen::kDirectory;
  return {};
}

Status TarPass::File(const std::string& path, std::int64_t size) {
  MLPROF_TRY(ImplyParents(path));
  if (!seen_.try_emplace(path, Seen::kFile).second) {
    return Fail(InvalidArgument("the entry " + Quoted(path) + " is there twice"));
  }
  ++contents_.files;
  MLPROF_TRY(sink_.BeginFile(path));
  if (Status data = Data(size); !data) return Fail(data.error().WithContext(Quoted(path)));
  return sink_.EndFile();
}

Status TarPass::Data(std::int64_t size) {
  const auto block = static_cast<std::int64_t>(kTarBlock);
  std::int64_t left = size;
  std::int64_t left_padded = (size + block - 1) / block * block;
  while (left_padded > 0) {
    const auto piece =
        static_cast<std::size_t>(std::min(left_padded, static_cast<std::int64_t>(buffer_.size())));
    MLPROF_LET(got, ReadFully(source_, std::span(buffer_).first(piece)));
    if (got != piece) return Fail(Truncated());
    const auto useful = static_cast<std::size_t>(std::min(left, static_cast<std::int64_t>(piece)));
    if (useful > 0) MLPROF_TRY(sink_.Write(std::span(buffer_).first(useful)));
    left -= static_cast<std::int64_t>(useful);
    left_padded -= static_cast<std::int64_t>(piece);
  }
  return {};
}

Status TarPass::Finish() {
  std::int64_t padding = 0;
  for (;;) {
    MLPROF_LET(got, source_.Read(buffer_));
    if (got == 0) return {};
    padding += static_cast<std::int64_t>(got);
    const auto end = buffer_.begin() + static_cast<std::ptrdiff_t>(got);
    if (padding > kMaxPadding || std::any_of(buffer_.begin(), end, [](char c) { return c != 0; })) {
      return Fail(InvalidArgument("the tar goes on behind its end"));
    }
  }
}

}  // namespace

Result<TarContents> ReadTar(ByteSource& source, const TarLimits& limits, TarSink& sink) {
  return TarPass(source, limits, sink).Run();
}

}  // namespace mlprof
