// What the containers of a profile wrote, one after another, as far as it is kept. Used by the
// thread that runs the profile.
#pragma once

#include <string>
#include <string_view>

#include "common/units/bytes.h"

namespace mlprof::server {

class ContainerLogs {
 public:
  /// The newest that fits: what came first goes, by whole lines where there are some.
  explicit ContainerLogs(Bytes most = MiB(16)) : most_(most) {}

  /// Of the container with this number, which is over. An empty log leaves no trace.
  void Add(int container, std::string_view log);
  bool empty() const { return text_.empty(); }
  /// All of it; the first line says how much is missing, if anything.
  std::string Text() const;

 private:
  const Bytes most_;
  std::string text_;
  Bytes left_out_;
};

}  // namespace mlprof::server
