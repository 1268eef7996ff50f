// Changes bytes of a database behind its back, as a disk does.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "server/storage/connection.h"
#include "server/storage/statement.h"

namespace mlprof::server {

inline std::string BytesOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteBytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// "" where there is no error.
template <class Value>
std::string MessageOf(const Result<Value>& result) {
  return result ? "" : result.error().message();
}

constexpr std::size_t kPageBytes = 4096;

/// The bytes' offset of the first page of a table or an index.
inline std::size_t RootOffset(const std::filesystem::path& file, const std::string& name) {
  const auto connection = Connection::Open(file, Access::kImmutable).value();
  Statement row(*connection, "SELECT rootpage FROM sqlite_schema WHERE name = :name");
  if (!row.Bind(":name", name).Step().value_or(false)) return 0;
  return static_cast<std::size_t>(row.Int(0) - 1) * kPageBytes;
}

/// Flips one bit of `text` where it first stands in the first page of a table or an index. The
/// database is closed. False where it does not stand there.
inline bool FlipBit(const std::filesystem::path& file, const std::string& name,
                    const std::string& text) {
  std::string bytes = BytesOf(file);
  const std::size_t page = RootOffset(file, name);
  const std::size_t at = bytes.find(text, page);
  if (page == 0 || at == std::string::npos || at >= page + kPageBytes) return false;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  WriteBytes(file, bytes);
  return true;
}

}  // namespace mlprof::server
