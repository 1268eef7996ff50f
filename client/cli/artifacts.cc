#include "client/cli/artifacts.h"

#include <algorithm>

#include "client/cli/upload_progress.h"
#include "client/include/mlprof/rows_file.h"
#include "client/include/mlprof/tar_writer.h"
#include "client/include/mlprof/temporary_file.h"

namespace mlprof::cli {
namespace {

namespace fs = std::filesystem;

Status CheckExists(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return {};
  return Fail(InvalidArgument("there is no file or folder " + path.string()));
}

bool Exists(const std::string& path) { return CheckExists(path).has_value(); }

// nullopt where there is none of that name.
template <class T>
Result<std::optional<T>> Unless404(Result<Resource<T>> found) {
  if (found) return std::optional<T>(std::move(found->value));
  if (found.error().code() == ErrorCode::kNotFound) return std::optional<T>();
  return Fail(found.error());
}

Upload TarUpload(Session& session, const fs::path& tar, const std::string& name) {
  return {tar, "application/x-tar", UploadProgress(name, session.surroundings())};
}

Result<std::string> ModelOfPath(Session& session, Client& client, const fs::path& path) {
  MLPROF_TRY(CheckExists(path));
  const std::string name = BaseName(path);
  auto tar = TemporaryFile::Create();
  if (!tar) return Fail(tar.error());
  const auto packed = PackTar(path, TarLayout::kUnderBaseName, tar->path());
  if (!packed) return Fail(packed.error());
  const auto newest = Unless404(client.models().Get(name));
  if (!newest) return Fail(newest.error());
  if (*newest && (*newest)->sha256 == packed->sha256) {
    session.Say("model " + path.string() + " is unchanged: " + (*newest)->id);
    return (*newest)->id;
  }
  const auto model =
      client.models().Register({name, "", {}}, TarUpload(session, tar->path(), name));
  if (!model) return Fail(model.error().WithContext("model " + path.string()));
  session.Say("registered model " + path.string() + " as " + model->value.id);
  return model->value.id;
}

// Counts first: they settle it for most files without fetching a row.
bool HasSameRows(Client& client, const Dataset& dataset, const Rows& rows) {
  std::int64_t size = 0;
  for (const std::string& row : rows) size += static_cast<std::int64_t>(row.size());
  if (dataset.row_count != static_cast<std::int64_t>(rows.size())) return false;
  if (dataset.size != Bytes(size)) return false;
  const auto stored = client.datasets().Head(dataset.id, dataset.row_count);
  return stored && *stored == rows;
}

Result<std::string> DatasetOfPath(Session& session, Client& client, const fs::path& path) {
  MLPROF_TRY(CheckExists(path));
  const std::string name = BaseName(path);
  const auto newest = Unless404(client.datasets().Get(name));
  if (!newest) return Fail(newest.error());
  if (*newest) {
    const auto rows = ReadRows(path);
    if (rows && HasSameRows(client, **newest, *rows)) {
      session.Say("dataset " + path.string() + " is unchanged: " + (*newest)->id);
      return (*newest)->id;
    }
  }
  const auto dataset = UploadDataset(session, client, {name, ""}, path);
  if (!dataset) return Fail(dataset.error().WithContext("dataset " + path.string()));
  session.Say("registered dataset " + path.string() + " as " + dataset->value.id);
  return dataset->value.id;
}

template <class T>
Result<std::string> Resolve(Session& session, Client& client, const std::string& value,
                            const std::string& kind,
                            Result<Resource<T>> (*get)(Client&, const std::string&),
                            Result<std::string> (*of_path)(Session&, Client&, const fs::path&)) {
  if (LooksLikePath(value)) return of_path(session, client, value);
  auto found = get(client, value);
  if (found) {
    if (Exists(value)) {
      session.Say(value + " is a registered " + kind + " and a file here; the registered one is " +
                  "used (./" + value + " means the file)");
    }
    return found->value.id;
  }
  if (found.error().code() != ErrorCode::kNotFound) return Fail(found.error());
  if (Exists(value)) return of_path(session, client, value);
  return Fail(NotFound("there is no " + kind + " '" + value + "', and no file of that name"));
}

}  // namespace

bool LooksLikePath(const std::string& value) {
  return value.starts_with('.') || value.find('/') != std::string::npos;
}

Result<Resource<Model>> UploadModel(Session& session, Client& client, const NewModel& model,
                                    const fs::path& path) {
  MLPROF_TRY(CheckExists(path));
  auto tar = TemporaryFile::Create();
  if (!tar) return Fail(tar.error());
  const auto packed = PackTar(path, TarLayout::kUnderBaseName, tar->path());
  if (!packed) return Fail(packed.error());
  return client.models().Register(model, TarUpload(session, tar->path(), model.name));
}

Result<Resource<Dataset>> UploadDataset(Session& session, Client& client, const NewDataset& dataset,
                                        const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return Fail(InvalidArgument("there is no file " + file.string()));
  }
  return client.datasets().Register(
      dataset, {file, RowsMediaType(file), UploadProgress(dataset.name, session.surroundings())});
}

Result<std::string> ResolveModel(Session& session, Client& client, const std::string& value) {
  return Resolve<Model>(
      session, client, value, "model",
      +[](Client& c, const std::string& id) { return c.models().Get(id); }, ModelOfPath);
}

Result<std::string> ResolveDataset(Session& session, Client& client, const std::string& value) {
  return Resolve<Dataset>(
      session, client, value, "dataset",
      +[](Client& c, const std::string& id) { return c.datasets().Get(id); }, DatasetOfPath);
}

}  // namespace mlprof::cli
