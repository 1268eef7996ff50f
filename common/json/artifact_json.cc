#include "common/json/artifact_json.h"

#include "common/json/json_reader.h"
#include "common/json/scalar_json.h"

namespace mlprof {

Json EncodeArtifact(const Artifact& artifact) {
  return {{"id", artifact.id},
          {"kind", artifact.kind},
          {"name", artifact.name},
          {"mediaType", artifact.media_type},
          {"sizeInBytes", artifact.size.count()},
          {"sha256", artifact.sha256},
          {"createdTime", FormatTimestamp(artifact.created)}};
}

Result<Artifact> DecodeArtifact(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Artifact artifact;
  reader.Require("id");
  Assign(artifact.id, reader.String("id"));
  Assign(artifact.kind, reader.String("kind"));
  Assign(artifact.name, reader.String("name"));
  Assign(artifact.media_type, reader.String("mediaType"));
  artifact.size = Bytes(reader.BigInteger("sizeInBytes").value_or(0));
  Assign(artifact.sha256, reader.String("sha256"));
  Assign(artifact.created, ReadTimestamp(reader, "createdTime"));
  // Whoever downloads it makes a file of this name.
  if (std::string problem = CheckName(artifact.name); !problem.empty()) {
    reader.Problem("name", std::move(problem));
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return artifact;
}

}  // namespace mlprof
