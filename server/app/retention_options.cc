#include "server/app/retention_options.h"

#include <charconv>

#include "server/app/options.h"

namespace mlprof::server {
namespace {

Status SetAge(std::optional<std::chrono::hours>& age, const char* flag, const std::string& value) {
  constexpr int kMost = 36500;
  int days = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), days);
  const bool whole = error == std::errc() && end == value.data() + value.size();
  if (!whole || days < 0 || days > kMost) {
    return Fail(InvalidArgument(std::string(flag) +
                                " wants a whole number of days from 0 (for ever) to " +
                                "36500, not " + value));
  }
  age = days == 0 ? std::nullopt : std::optional(std::chrono::hours(24 * days));
  return {};
}

Status SetSize(std::optional<Bytes>& size, const char* flag, const std::string& value) {
  constexpr double kMost = 1048576;
  double gib = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), gib);
  const bool whole = error == std::errc() && end == value.data() + value.size();
  if (!whole || !(gib >= 0 && gib <= kMost)) {
    return Fail(InvalidArgument(std::string(flag) +
                                " wants a number of GiB from 0 (any) to 1048576, not " + value));
  }
  size = gib == 0 ? std::nullopt : std::optional(BytesFromGib(gib));
  return {};
}

}  // namespace

Status SetImagesAge(ServerOptions& options, const std::string& value) {
  return SetAge(options.retention.images.age, "--keep-images-days", value);
}
Status SetImagesSize(ServerOptions& options, const std::string& value) {
  return SetSize(options.retention.images.size, "--keep-images-gb", value);
}
Status SetSamplesAge(ServerOptions& options, const std::string& value) {
  return SetAge(options.retention.samples.age, "--keep-samples-days", value);
}
Status SetSamplesSize(ServerOptions& options, const std::string& value) {
  return SetSize(options.retention.samples.size, "--keep-samples-gb", value);
}

}  // namespace mlprof::server
