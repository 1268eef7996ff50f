#include "client/include/mlprof/sources.h"

#include "client/src/connection.h"
#include "client/src/json_fields.h"

namespace mlprof::client {

Result<std::string> Sources::Upload(const client::Upload& tar) {
  MLPROF_LET(response, connection_.CallWithUpload(Target("/sources"), tar));
  MLPROF_LET(json, JsonOf(response));
  std::string id = TextField(json, "id");
  if (id.empty()) return Fail(Internal("the server's response has no source id"));
  return id;
}

Status Sources::Delete(const std::string& id) {
  return StatusOf(connection_.Call("DELETE", Target("/sources").Segment(id)));
}

}  // namespace mlprof::client
