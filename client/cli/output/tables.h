// Models, datasets and profiles in columns.
#pragma once

#include <string>
#include <vector>

#include "client/cli/output/format.h"
#include "client/include/mlprof/resource.h"
#include "common/domain/dataset.h"
#include "common/domain/model.h"
#include "common/domain/profile.h"

namespace mlprof::client::cli {

Table ModelTable(const ResourceList<Model>& models);
Table DatasetTable(const ResourceList<Dataset>& datasets);
Table ProfileTable(const ResourceList<Profile>& profiles);

std::string ModelDetails(const Model& model);
std::string DatasetDetails(const Dataset& dataset);

/// The JSON a resource came as.
Json JsonOfText(const std::string& text);

/// {"value":[…],"nextCursor":null}, as the REST interface writes lists.
template <class T>
Json ListJson(const ResourceList<T>& list) {
  Json value = Json::array();
  for (const Resource<T>& item : list) value.push_back(JsonOfText(item.json));
  return {{"value", std::move(value)}, {"nextCursor", nullptr}};
}

}  // namespace mlprof::client::cli
