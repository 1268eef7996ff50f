#include "common/json/domain_json.h"
#include "server/profiling/queue/profile_service.h"
#include "server/registry/model_registry.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

Result<HttpResponse> CreateProfile(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(json, ReadJsonBody(request));
  std::vector<FieldError> problems;
  ProfileRequest asked = DecodeProfileRequest(json, problems);
  if (!json.contains("budgetSeconds")) asked.budget = services.budget;
  if (!problems.empty()) {
    MLPROF_LET(unknown, services.profiles.UnknownIds(workspace, asked));
    problems.insert(problems.end(), unknown.begin(), unknown.end());
    return Fail(ProblemsToStatus(std::move(problems)).error());
  }
  MLPROF_LET(key, ReadIdempotencyKey(request));
  MLPROF_LET(created, services.profiles.Create(workspace, asked, key));
  const Profile& profile = created.profile;
  return CreatedResponse(202, EncodeProfile(profile), "/profiles/" + profile.request.name,
                         workspace);
}

// A bare name means the newest version; the stored filter wants the version.
std::string WithVersion(ModelRegistry& models, const std::string& workspace,
                        const std::string& id) {
  if (id.empty() || id.find(':') != std::string::npos) return id;
  const auto model = models.Get(workspace, id);
  return model ? model->id : id;
}

Result<HttpResponse> ListProfiles(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  ProfileFilter filter;
  if (const std::string state = query.Text("state"); !request.QueryAll("state").empty()) {
    filter.state = ParseProfileState(state);
    if (!filter.state) query.Problem("state", "must be the state of a profile, such as Succeeded");
  }
  filter.model_id = query.Text("modelId");
  if (std::string problem = CheckId(filter.model_id);
      !request.QueryAll("modelId").empty() && !problem.empty()) {
    query.Problem("modelId", std::move(problem));
  }
  MLPROF_TRY(query.Done());
  filter.model_id = WithVersion(services.models, workspace, filter.model_id);
  MLPROF_LET(profiles, services.profiles.List(workspace, filter, page));
  return JsonResponse(200, EncodePage(profiles, EncodeProfile));
}

Result<HttpResponse> GetProfile(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(profile, services.profiles.Get(workspace, PathParameter(request, "name")));
  return JsonResponse(200, EncodeProfile(profile));
}

Result<HttpResponse> DeleteProfile(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(services.profiles.Delete(workspace, PathParameter(request, "name")));
  return NoContent();
}

Result<HttpResponse> CancelProfile(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(profile, services.profiles.Cancel(workspace, PathParameter(request, "name")));
  return JsonResponse(202, EncodeProfile(profile));
}

// A body may be left out.
Result<std::optional<bool>> ReadWhenQuiet(const HttpRequest& request) {
  if (request.BodyText().empty()) return std::nullopt;
  MLPROF_LET(json, ReadJsonBody(request));
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  const std::optional<bool> when_quiet = reader.Boolean("whenQuiet");
  reader.RefuseUnknown();
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return when_quiet;
}

Result<HttpResponse> RerunProfile(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(when_quiet, ReadWhenQuiet(request));
  MLPROF_LET(key, ReadIdempotencyKey(request));
  MLPROF_LET(created,
             services.profiles.Rerun(workspace, PathParameter(request, "name"), when_quiet, key));
  const Profile& profile = created.profile;
  return CreatedResponse(202, EncodeProfile(profile), "/profiles/" + profile.id, workspace);
}

Result<HttpResponse> ApplyProfile(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(profile, services.profiles.Apply(workspace, PathParameter(request, "name")));
  return JsonResponse(200, EncodeProfile(profile));
}

}  // namespace

void AddProfileRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/profiles", kJsonBody, Handle(services, CreateProfile)});
  router.Add({"GET", "/profiles", kNoBody, Handle(services, ListProfiles)});
  router.Add({"GET", "/profiles/{name}", kNoBody, Handle(services, GetProfile)});
  router.Add({"DELETE", "/profiles/{name}", kNoBody, Handle(services, DeleteProfile)});
  router.Add({"POST", "/profiles/{name}/cancel", kNoBody, Handle(services, CancelProfile)});
  router.Add({"POST", "/profiles/{name}/rerun", kJsonBody, Handle(services, RerunProfile)});
  router.Add({"POST", "/profiles/{name}/apply", kNoBody, Handle(services, ApplyProfile)});
}

}  // namespace mlprof::server
