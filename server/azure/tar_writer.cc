#include "server/azure/tar_writer.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "server/registry/byte_source.h"
#include "server/registry/tar_header.h"

namespace mlprof {
namespace {

constexpr std::size_t kPlainName = 100;

void Put(std::string& block, std::size_t at, std::string_view text) {
  block.replace(at, text.size(), text);
}

std::string Octal(std::int64_t value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
  return text;
}

// "LENGTH path=NAME\n", in which LENGTH counts itself.
std::string PathRecord(const std::string& name) {
  const std::string rest = " path=" + name + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

}  // namespace

Result<TarWriter> TarWriter::Create(const std::filesystem::path& file) {
  FileDescriptor fd(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return Fail(FromErrno(errno, "creating " + file.string()));
  return TarWriter(std::move(fd));
}

Status TarWriter::Block(std::string_view name, std::int64_t size, char type) {
  std::string block(kTarBlock, '\0');
  Put(block, 0, name);
  Put(block, 100, "0000644");
  Put(block, 108, "0000000");
  Put(block, 116, "0000000");
  Put(block, 124, Octal(size, 11));
  Put(block, 136, "00000000000");
  Put(block, 148, "        ");
  block[156] = type;
  Put(block, 257, "ustar");
  Put(block, 263, "00");
  std::int64_t sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  Put(block, 148, Octal(sum, 6) + '\0' + ' ');
  return WriteAll(file_.get(), block);
}

Status TarWriter::Header(const std::string& name, std::int64_t size) {
  if (size > kLargestOctalSize) {
    return Fail(ErrorCode::kTooLarge, "the file " + name + " has 8 GiB or more");
  }
  if (name.size() <= kPlainName) return Block(name, size, '0');
  const std::string record = PathRecord(name);
  const auto length = static_cast<std::int64_t>(record.size());
  MLPROF_TRY(Block("pax", length, 'x'));
  MLPROF_TRY(WriteAll(file_.get(), record));
  MLPROF_TRY(Pad(length));
  return Block(std::string_view(name).substr(0, kPlainName), size, '0');
}

Status TarWriter::Pad(std::int64_t size) {
  const auto over = static_cast<std::size_t>(size) % kTarBlock;
  return over == 0 ? Status() : WriteAll(file_.get(), std::string(kTarBlock - over, '\0'));
}

Status TarWriter::AddFile(const std::string& name, const std::filesystem::path& content) {
  std::error_code error;
  const auto found = std::filesystem::file_size(content, error);
  if (error) return Fail(FromErrno(error.value(), "reading " + name));
  const auto size = static_cast<std::int64_t>(found);
  MLPROF_TRY(Header(name, size));
  auto source = FileSource::Open(content);
  if (!source) return Fail(source.error());
  std::vector<char> buffer(256 << 10);
  std::int64_t left = size;
  while (left > 0) {
    const auto wanted = std::min(left, static_cast<std::int64_t>(buffer.size()));
    const auto got = ReadFully(**source, std::span(buffer).first(static_cast<std::size_t>(wanted)));
    if (!got) return Fail(got.error());
    if (*got == 0) return Fail(Internal("the file of " + name + " was cut short"));
    MLPROF_TRY(WriteAll(file_.get(), std::string_view(buffer.data(), *got)));
    left -= static_cast<std::int64_t>(*got);
  }
  return Pad(size);
}

Status TarWriter::AddText(const std::string& name, std::string_view content) {
  const auto size = static_cast<std::int64_t>(content.size());
  MLPROF_TRY(Header(name, size));
  MLPROF_TRY(WriteAll(file_.get(), content));
  return Pad(size);
}

Status TarWriter::AddTree(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  }
  if (error) return Fail(FromErrno(error.value(), "listing an unpacked archive"));
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    MLPROF_TRY(AddFile(file.lexically_relative(folder).generic_string(), file));
  }
  return {};
}

Status TarWriter::Finish() { return WriteAll(file_.get(), std::string(2 * kTarBlock, '\0')); }

}  // namespace mlprof
