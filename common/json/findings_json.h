// Parts of a profile's findings: the load and CPU curves, and lists of objects. The findings
// themselves are declared in domain_json.h.
#pragma once

#include "common/domain/findings.h"
#include "common/json/json_reader.h"

namespace mlprof {

Json EncodeLoadCurve(const LoadCurve& curve);
Json EncodeCpuCurve(const CpuCurve& curve);
/// Problems go to the reader's list.
LoadCurve ReadLoadCurve(JsonReader& reader);
CpuCurve ReadCpuCurve(JsonReader& reader);

/// Reads every object of the list `key` with `read`; what is no list is a problem.
template <class T>
std::vector<T> ReadItems(JsonReader& reader, std::string_view key, T (*read)(JsonReader&)) {
  std::vector<T> items;
  for (JsonReader& item : reader.Objects(key)) items.push_back(read(item));
  return items;
}

}  // namespace mlprof
