#include "server/storage/wal_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "common/log/log.h"
#include "server/storage/durable_file.h"
#include "server/storage/integrity_check.h"

namespace mlprof::server {
namespace {

// The format is SQLite's: a header of 32 bytes, then frames of 24 bytes and a page.
constexpr std::size_t kHeader = 32;
constexpr std::size_t kSummed = 24;  // of the header, by the checksum behind it
constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kFrameSummed = 8;
constexpr std::uint32_t kMagic = 0x377f0682;  // or one more, where checksums are big-endian
constexpr std::uint32_t kLargestPage = 65536;

std::uint32_t WordAt(const unsigned char* bytes, bool big_endian = true) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return big_endian == (std::endian::native == std::endian::big) ? word : __builtin_bswap32(word);
}

struct Checksum {
  bool big_endian = false;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void Add(std::span<const unsigned char> bytes) {
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      first += WordAt(&bytes[i], big_endian) + second;
      second += WordAt(&bytes[i + 4], big_endian) + first;
    }
  }
  bool StandsAt(const unsigned char* bytes) const {
    return first == WordAt(bytes) && second == WordAt(bytes + 4);
  }
};

Result<bool> ReadAll(int fd, std::span<unsigned char> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t got = read(fd, &into[filled], into.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Fail(FromErrno(errno, "reading the -wal of the database"));
    if (got == 0) return false;
    filled += static_cast<std::size_t>(got);
  }
  return true;
}

// Where frames stop being good, and the commits of the same writer from there on.
Result<std::optional<WalBreak>> WalkFrames(int fd, std::span<const unsigned char> header,
                                           std::size_t page, Checksum sum, bool good) {
  std::array<unsigned char, 8> salt{};
  std::copy_n(&header[16], salt.size(), salt.begin());
  std::vector<unsigned char> frame(kFrameHeader + page);
  WalBreak found{good ? kHeader : 0, 0};
  for (bool first = true;; first = false) {
    MLPROF_LET(whole, ReadAll(fd, frame));
    if (!whole) break;
    // Where the header is damaged its salt is not to be trusted: the first frame's is taken.
    if (first && !good) std::copy_n(&frame[8], salt.size(), salt.begin());
    const bool of_this_log = std::equal(salt.begin(), salt.end(), &frame[8]);
    sum.Add(std::span(frame).first(kFrameSummed));
    sum.Add(std::span(frame).subspan(kFrameHeader));
    good = good && of_this_log && sum.StandsAt(&frame[16]);
    if (good) found.at += frame.size();
    const bool commits = of_this_log && WordAt(frame.data()) != 0 && WordAt(&frame[4]) != 0;
    if (!good && commits) ++found.commits;
  }
  if (found.commits == 0) return std::nullopt;
  return found;
}

}  // namespace

Result<std::optional<WalBreak>> FindWalBreak(const std::filesystem::path& wal) {
  const FileDescriptor fd(open(wal.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd && errno == ENOENT) return std::nullopt;
  if (!fd) return Fail(FromErrno(errno, "opening " + wal.string()));
  std::array<unsigned char, kHeader> header{};
  MLPROF_LET(whole, ReadAll(fd.get(), header));
  if (!whole) return std::nullopt;
  const std::uint32_t magic = WordAt(header.data());
  Checksum sum{.big_endian = magic == kMagic + 1};
  sum.Add(std::span(header).first(kSummed));
  std::uint32_t page = WordAt(&header[8]);
  const bool good = (magic & ~1U) == kMagic && sum.StandsAt(&header[kSummed]);
  if (!std::has_single_bit(page) || page < 512 || page > kLargestPage) page = 4096;
  return WalkFrames(fd.get(), header, page, sum, good);
}

Status CheckWal(const std::filesystem::path& database) {
  const std::filesystem::path wal = database.string() + "-wal";
  MLPROF_LET(found, FindWalBreak(wal));
  if (!found) return {};
  if (found->commits == 1) {
    LogWarn("the last commit in the -wal of the database is not whole and is left out",
            {{"file", wal.string()}});
    return {};
  }
  return Fail(Internal(
      wal.string() + " is damaged: " + std::to_string(found->commits) + " commits behind byte " +
      std::to_string(found->at) + " cannot be read. Nothing was changed. " +
      RestoreAdvice(database) + " Without a backup: keep a copy, then truncate -s " +
      std::to_string(found->at) + " " + wal.string() + " goes back to what was committed before."));
}

}  // namespace mlprof::server
