// A slice of a list, newest first unless said otherwise. Ends early where its items are long: the
// cursor alone says whether there are more.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mlprof::server {

struct PageRequest {
  int top = 100;       // 1 to 1000
  std::string cursor;  // opaque, from the page before; "" is the first page
};

template <class T>
struct Page {
  std::vector<T> value;
  std::optional<std::string> next_cursor;
};

}  // namespace mlprof::server
