#include "client/cli/artifacts.h"

#include <algorithm>

#include "client/cli/path_name.h"
#include "client/cli/upload_progress.h"
#include "client/include/mlprof/pack_tar.h"
#include "client/include/mlprof/temporary_file.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

Status CheckExists(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return {};
  return Fail(InvalidArgument("there is no file or folder " + path.string()));
}

bool Exists(const std::string& path) { return CheckExists(path).has_value(); }

Result<std::string> NameFor(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (error) return Fail(InvalidArgument(path.string() + ": " + error.message()));
  return NameOfPath(path, canonical);
}

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
  MLPROF_LET(name, NameFor(path));
  MLPROF_LET(tar, TemporaryFile::Create());
  MLPROF_LET(packed, PackTar(path, TarLayout::kUnderBaseName, tar.path()));
  MLPROF_LET(newest, Unless404(client.models().Get(name)));
  if (newest && newest->sha256 == packed.sha256) {
    session.Say("model " + path.string() + " is unchanged: " + newest->id);
    return newest->id;
  }
  const auto model = client.models().Register({name, "", {}}, TarUpload(session, tar.path(), name));
  if (!model) return Fail(model.error().WithContext("model " + path.string()));
  session.Say("registered model " + path.string() + " as " + model->value.id);
  return model->value.id;
}

// Compares the counts first: most files that differ do so there, and no row is fetched.
bool HasSameRows(Client& client, const Dataset& dataset, const Rows& rows) {
  std::int64_t size = 0;
  for (const std::string& row : rows) size += static_cast<std::int64_t>(row.size());
  if (dataset.row_count != static_cast<std::int64_t>(rows.size())) return false;
  if (dataset.size != Bytes(size)) return false;
  const auto stored = client.datasets().Head(dataset.id, dataset.row_count);
  return stored && *stored == rows;
}

void SayWarnings(Session& session, const Dataset& dataset) {
  for (const Warning& warning : dataset.warnings) {
    session.Say("warning: " + warning.message +
                (warning.advice.empty() ? "" : "; " + warning.advice));
  }
}

// Whoever says that the file has no header is not told again that it looks like one.
bool IsWarnedOf(const Dataset& dataset, CsvHeader header) {
  return header == CsvHeader::kNone && !dataset.warnings.empty();
}

Result<std::string> DatasetOfPath(Session& session, Client& client, const fs::path& path,
                                  CsvHeader header) {
  MLPROF_LET(name, NameFor(path));
  MLPROF_LET(newest, Unless404(client.datasets().Get(name)));
  if (newest && !IsWarnedOf(*newest, header)) {
    const auto rows = ReadRows(path, header);
    if (rows && HasSameRows(client, *newest, *rows)) {
      session.Say("dataset " + path.string() + " is unchanged: " + newest->id);
      SayWarnings(session, *newest);
      return newest->id;
    }
  }
  const auto dataset = UploadDataset(session, client, {name, ""}, path, header);
  if (!dataset) return Fail(dataset.error().WithContext("dataset " + path.string()));
  session.Say("registered dataset " + path.string() + " as " + dataset->value.id);
  return dataset->value.id;
}

const char* KindOfFile(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? "folder" : "file";
}

// Says which of two things of one name was taken, and how to name the other.
void SayTaken(Session& session, const std::string& value, const std::string& kind,
              const std::string& id, Precedence precedence) {
  const std::string file = std::string("the ") + KindOfFile(value) + " " + value;
  if (precedence == Precedence::kRegistered) {
    session.Say("using the registered " + kind + " " + id + ", not " + file + " (./" + value +
                " means that one)");
  } else {
    session.Say("using " + file + ", not the registered " + kind + " of that name" +
                (id == value ? "" : " (" + id + " means that one)"));
  }
}

// The id that `value` has on the server; `of_path` registers what lies there.
template <class T, class OfPath>
Result<std::string> Resolve(Session& session, const std::string& value, const std::string& kind,
                            Precedence precedence, T&& get, OfPath&& of_path) {
  if (LooksLikePath(value)) return of_path(fs::path(value));
  const bool exists = Exists(value);
  const auto found = get();
  if (exists && precedence == Precedence::kFile) {
    if (found) SayTaken(session, value, kind, found->value.id, precedence);
    return of_path(fs::path(value));
  }
  if (found) {
    if (exists) SayTaken(session, value, kind, found->value.id, precedence);
    return found->value.id;
  }
  if (found.error().code() != ErrorCode::kNotFound) return Fail(found.error());
  if (exists) return of_path(fs::path(value));
  return Fail(NotFound("there is no " + kind + " '" + value + "', and no file of that name"));
}

}  // namespace

bool LooksLikePath(const std::string& value) {
  return value.starts_with('.') || value.find('/') != std::string::npos;
}

Result<Resource<Model>> UploadModel(Session& session, Client& client, const NewModel& model,
                                    const fs::path& path) {
  MLPROF_TRY(CheckExists(path));
  MLPROF_LET(tar, TemporaryFile::Create());
  MLPROF_TRY(PackTar(path, TarLayout::kUnderBaseName, tar.path()));
  return client.models().Register(model, TarUpload(session, tar.path(), model.name));
}

Result<Resource<Dataset>> UploadDataset(Session& session, Client& client, const NewDataset& dataset,
                                        const fs::path& file, CsvHeader header) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    const bool folder = fs::is_directory(file, error);
    return Fail(InvalidArgument(folder ? file.string() + " is a folder; a dataset is one file"
                                       : "there is no file " + file.string()));
  }
  auto registered = client.datasets().Register(
      dataset,
      {file, RowsMediaType(file, header), UploadProgress(dataset.name, session.surroundings())});
  if (registered) SayWarnings(session, registered->value);
  return registered;
}

Result<std::string> ResolveModel(Session& session, Client& client, const std::string& value,
                                 Precedence precedence) {
  return Resolve(
      session, value, "model", precedence, [&] { return client.models().Get(value); },
      [&](const fs::path& path) { return ModelOfPath(session, client, path); });
}

Result<std::string> ResolveDataset(Session& session, Client& client, const std::string& value,
                                   Precedence precedence, CsvHeader header) {
  return Resolve(
      session, value, "dataset", precedence, [&] { return client.datasets().Get(value); },
      [&](const fs::path& path) { return DatasetOfPath(session, client, path, header); });
}

Status ResolveTrace(Session& session, Client& client, Arrivals& arrivals) {
  if (arrivals.kind != Arrivals::Kind::kTrace) return {};
  MLPROF_LET(dataset, ResolveDataset(session, client, arrivals.trace, Precedence::kFile,
                                     CsvHeader::kUnsaid));
  arrivals.trace = std::move(dataset);
  return {};
}

}  // namespace mlprof::client::cli
