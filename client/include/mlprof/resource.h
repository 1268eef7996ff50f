// What a server answers with: the decoded value beside the JSON text it came as, so that a caller
// can pass on everything the server said.
#pragma once

#include <string>
#include <vector>

namespace mlprof::client {

template <class T>
struct Resource {
  T value;
  std::string json;
};

template <class T>
using ResourceList = std::vector<Resource<T>>;

}  // namespace mlprof::client
