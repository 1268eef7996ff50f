// Chrome's trace JSON as text, a piece at a time: nothing is kept but the piece that is being
// filled. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {

class ChromeWriter {
 public:
  /// The sink must outlive it.
  explicit ChromeWriter(const TextSink& sink);

  void Raw(std::string_view text) { text_ += text; }
  /// Six decimals at most.
  void Number(double value);
  /// Quoted; cut where it is long.
  void String(std::string_view value);
  /// Hands on what fills a piece; `all`: whatever there is. What cannot be written is told by each
  /// that comes after it too.
  Status Flush(bool all);

 private:
  const TextSink& sink_;
  Status written_;
  std::string text_;
};

}  // namespace mlprof::server::xspace
