#include "client/include/mlprof/datasets.h"

#include "client/src/connection.h"
#include "client/src/json_fields.h"
#include "common/json/domain_json.h"
#include "common/text/base64.h"

namespace mlprof::client {
namespace {

constexpr std::int64_t kLargestPage = 1000;

Target DatasetTarget(const std::string& id) { return Target("/datasets").Segment(id); }

Result<std::string> DecodeRow(const Json& row) {
  if (row.is_string()) return row.get<std::string>();
  auto bytes = row.is_object() && row.contains("base64") ? DecodeBase64(TextField(row, "base64"))
                                                         : std::nullopt;
  if (bytes) return std::move(*bytes);
  return Fail(Internal("the server's response has a row that is neither text nor base64"));
}

}  // namespace

Result<Resource<Dataset>> Datasets::Register(const NewDataset& dataset, const Upload& rows) {
  Target target("/datasets");
  target.Query("name", dataset.name).Query("description", dataset.description);
  return Decoded(connection_.CallWithUpload(target, rows), &DecodeDataset);
}

Result<Resource<Dataset>> Datasets::Get(const std::string& id) {
  return Decoded(connection_.Call("GET", DatasetTarget(id)), &DecodeDataset);
}

Result<ResourceList<Dataset>> Datasets::List(const std::string& name) {
  Target target("/datasets");
  target.Query("name", name);
  return DecodedAll(connection_.ListAll(target), &DecodeDataset);
}

Result<Rows> Datasets::Head(const std::string& id, std::int64_t count) {
  Rows rows;
  std::string cursor;
  while (static_cast<std::int64_t>(rows.size()) < count) {
    const auto left = count - static_cast<std::int64_t>(rows.size());
    Target target(DatasetTarget(id).Text() + "/rows");
    target.Query("top", std::to_string(std::min(left, kLargestPage))).Query("cursor", cursor);
    MLPROF_LET(response, connection_.Call("GET", target));
    MLPROF_LET(json, JsonOf(response));
    for (const Json& item : json.value("value", Json::array())) {
      MLPROF_LET(row, DecodeRow(item));
      rows.push_back(std::move(row));
    }
    cursor = TextField(json, "nextCursor");
    if (cursor.empty()) break;
  }
  return rows;
}

Status Datasets::Delete(const std::string& id) {
  return StatusOf(connection_.Call("DELETE", DatasetTarget(id)));
}

}  // namespace mlprof::client
