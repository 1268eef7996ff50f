#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

#include "agent/copy_tree/copy_tree.h"

namespace mlprof::agent {
namespace {

std::optional<std::int64_t> Number(const char* text) {
  std::int64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [parsed, error] = std::from_chars(text, end, number);
  if (error != std::errc() || parsed != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

int RunCopyTree(int argc, char** argv) {
  const auto bytes = argc == 4 ? Number(argv[2]) : std::nullopt;
  const auto entries = argc == 4 ? Number(argv[3]) : std::nullopt;
  if (!bytes || !entries) {
    std::fputs("usage: mlprof-agent --copy-tree FROM TO BYTES ENTRIES\n", stderr);
    return 2;
  }
  const Result<CopyReport> report = CopyTree(argv[0], argv[1], {*bytes, *entries});
  if (!report) {
    std::fprintf(stderr, "mlprof-agent: %s\n", report.error().message().c_str());
    return 1;
  }
  std::printf("copied %lld files of %lld bytes, left out %lld\n",
              static_cast<long long>(report->entries), static_cast<long long>(report->bytes),
              static_cast<long long>(report->left_out));
  return 0;
}

}  // namespace mlprof::agent
