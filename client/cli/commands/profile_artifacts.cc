// `mlprof profile artifacts NAME [-t DIR]`: the files that a profile left.
#include "client/cli/command.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

Table ArtifactTable(const ResourceList<Artifact>& artifacts) {
  Table table{{"ID", "KIND", "NAME", "TYPE", "SIZE", "CREATED"}, {}};
  for (const auto& [artifact, json] : artifacts) {
    table.rows.push_back({artifact.id, artifact.kind, artifact.name, artifact.media_type,
                          Text(artifact.size), Text(artifact.created)});
  }
  return table;
}

// The whole file or none: what breaks leaves a file with another name.
Status Download(Client& client, const std::string& profile, const Artifact& artifact,
                const fs::path& file, bool overwrite) {
  std::error_code error;
  if (!overwrite && fs::exists(fs::symlink_status(file, error))) {
    return Fail(Conflict(file.string() + " is there (--overwrite replaces it)"));
  }
  const fs::path part = file.string() + ".part";
  MLPROF_TRY(client.profiles().DownloadArtifact(profile, artifact.id, part));
  fs::rename(part, file, error);
  if (error) return Fail(FromErrno(error.value(), "cannot write " + file.string()));
  return {};
}

Result<int> DownloadAll(Session& session, Client& client, const std::string& profile,
                        const ResourceList<Artifact>& artifacts, const Options& options) {
  const fs::path folder = options.Text("--target-dir");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return WrongUse("cannot create " + folder.string() + ": " + error.message());
  Table table{{"FILE"}, {}};
  Json files = Json::array();
  for (const auto& [artifact, json] : artifacts) {
    const fs::path file = folder / artifact.name;
    MLPROF_TRY(Download(client, profile, artifact, file, options.Has("--overwrite")));
    table.rows.push_back({file.string()});
    files.push_back(file.string());
  }
  session.Print({{"files", std::move(files)}}, table);
  return kDone;
}

Result<int> Artifacts(Session& session, const Options& options) {
  const bool downloads = !options.Text("--target-dir").empty();
  if (!downloads && (options.Has("--id") || options.Has("--overwrite"))) {
    return WrongUse("--id and --overwrite go with --target-dir");
  }
  MLPROF_LET(client, session.Connect());
  // By id from here on: the name may get a newer run meanwhile.
  MLPROF_LET(profile, client.profiles().Get(options.operands()[0]));
  const std::string& id = profile.value.id;
  MLPROF_LET(artifacts, client.profiles().Artifacts(id));
  if (!downloads) {
    session.Print(ListJson(artifacts), ArtifactTable(artifacts));
    return kDone;
  }
  if (options.Has("--id")) {
    const std::string wanted = options.Text("--id");
    std::erase_if(artifacts, [&](const auto& artifact) { return artifact.value.id != wanted; });
    if (artifacts.empty()) {
      return Fail(NotFound("there is no artifact \"" + wanted + "\" of this profile"));
    }
  }
  return DownloadAll(session, client, id, artifacts, options);
}

}  // namespace

Command ArtifactsCommand() {
  return {"profile artifacts",
          "NAME",
          "list the files that a profile left, or download them",
          1,
          1,
          {{{"--target-dir", "-t"}, "DIR", "download them to it; made where needed"},
           {{"--id"}, "ID", "download only this one"},
           {{"--overwrite"}, "", "replace files that are there"}},
          {"mlprof profile artifacts p1", "mlprof profile artifacts p1 -t ./p1"},
          Artifacts};
}

}  // namespace mlprof::client::cli
