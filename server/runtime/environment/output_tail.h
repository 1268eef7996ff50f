// The last lines of an output that comes in pieces.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace mlprof::server::environment {

class OutputTail {
 public:
  explicit OutputTail(std::size_t lines) : lines_(lines) {}

  /// `on_line` sees each line as it is completed.
  void Add(std::string_view text, const std::function<void(std::string_view)>& on_line) {
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
      rest_ += text.substr(0, end);
      text.remove_prefix(end + 1);
      on_line(rest_);
      kept_.push_back(std::move(rest_));
      rest_.clear();
      if (kept_.size() > lines_) kept_.pop_front();
    }
    // A "line" without an end must not grow for ever.
    constexpr std::size_t kLongestLine = 4096;
    if (rest_.size() < kLongestLine) rest_ += text.substr(0, kLongestLine);
  }

  std::string Text() const {
    std::string text;
    for (const std::string& line : kept_) text += line + "\n";
    return text + rest_;
  }

 private:
  const std::size_t lines_;
  std::deque<std::string> kept_;
  std::string rest_;
};

}  // namespace mlprof::server::environment
