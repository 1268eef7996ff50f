// The Azure ML v1 routes over real storage, asked as the HTTP server would ask them. No profile
// runs: the queue is not started.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/hash/sha256.h"
#include "common/json/json.h"
#include "common/text/percent.h"
#include "server/azure/azure_api.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/datasets/dataset_texts.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/metrics/controller_metrics.h"
#include "server/profiling/comparison/comparison_service.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"
#include "server/profiling/queue/profile_queue.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/problem.h"
#include "server/rest/rest_api.h"
#include "server/retention/retention.h"
#include "server/storage/azure_records.h"
#include "server/storage/comparison_repository.h"
#include "server/storage/tokens.h"
#include "tests/fakes/fake_runtime.h"
#include "tests/server/azure/parsed.h"
#include "tests/server/registry/registry_fixture.h"

namespace mlprof::server {

/// Another machine's address.
inline constexpr const char* kElsewhere = "192.0.2.7";

class AzureBench : public RegistryTest {
 protected:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  AzureBench() {
    access_.SetPorts(8080, 8443);
    access_.AcceptBearer([this](std::string_view token) { return tokens_->Check(token); });
    GuardAzureRoutes(access_, azure_);
    AddAzureRoutes(router_, azure_);
    AddTokenRoutes(router_, azure_.services);
  }

  static std::string Workspace(const std::string& service, const std::string& name = "w") {
    return service + WorkspacePath("s/g/" + name);
  }

  /// As a program of this machine.
  HttpResponse Ask(const std::string& method, const std::string& target,
                   const std::string& body = "", const Headers& headers = {}) {
    return AskFrom("127.0.0.1", method, target, body, headers);
  }
  HttpResponse AskFrom(const std::string& address, const std::string& method,
                       const std::string& target, const std::string& body, const Headers& headers) {
    HttpRequest request;
    request.method = method;
    request.target = target;
    request.remote_address = address;
    const std::size_t mark = std::min(target.find('?'), target.size());
    request.path = target.substr(0, mark);
    request.query = *ParseQuery(std::string_view(target).substr(std::min(mark + 1, target.size())));
    request.headers.Add("Host", "127.0.0.1:8443");
    request.over_tls = true;
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    if (auto refusal = access_.Check(request)) return InAzureShape(std::move(*refusal), request);
    const Router::Match match = router_.Find(method, request.path);
    if (match.route == nullptr) {
      return RefuseWithProblem(match.bad_path                  ? 400
                               : match.allowed_methods.empty() ? 404
                                                               : 405,
                               "", request);
    }
    request.path_parameters = match.parameters;
    request.body = body;
    if (match.route->body.kind == BodyPolicy::Kind::kSpooled) {
      SpooledBody spooled = Upload(body);
      spooled.sha256 = Sha256Hex(body);
      request.body = std::move(spooled);
    }
    return match.route->handler(request);
  }

  static std::string TextOf(const HttpResponse& response) {
    if (const auto* text = std::get_if<std::string>(&response.body)) return *text;
    const auto& file = std::get<FileBody>(response.body);
    const std::string whole = Content(file.file);
    return whole.substr(file.offset, file.length.value_or(std::string::npos));
  }
  static Json JsonOf(const HttpResponse& response) {
    auto json = ParseJson(TextOf(response));
    EXPECT_TRUE(json) << TextOf(response);
    return json ? *json : Json(nullptr);
  }

  /// The path and query of an address as a client makes them of it.
  static std::string TargetOf(const std::string& address) {
    const std::string start = "https://mlprof.blob.x@127.0.0.1:8443";
    EXPECT_EQ(address.substr(0, start.size()), start);
    const std::size_t query = address.find('?');
    return PercentEncodePath(address.substr(start.size(), query - start.size())) +
           address.substr(query);
  }
  std::string DatastoreQuery(const std::string& workspace = "w") {
    const Json store = JsonOf(Ask("GET", Workspace("/datastore/v1.0", workspace) + "/default"));
    return store["azureStorageSection"]["sasToken"].get<std::string>();
  }
  void PutInDatastore(const std::string& path, const std::string& text) {
    const HttpResponse put = Ask("PUT", "/azureml-blobstore/" + path + DatastoreQuery(), text,
                                 {{"x-ms-blob-type", "BlockBlob"}});
    ASSERT_EQ(put.status, 201) << TextOf(put);
  }
  /// Puts one file up as an artifact of `container`.
  void PutArtifact(const std::string& container, const std::string& path, const std::string& text) {
    const HttpResponse made = Ask(
        "POST", Workspace("/artifact/v2.0") + "/artifacts/batch/metadata/LocalUpload/" + container,
        DumpJson({{"paths", {{{"path", path}}}}}));
    ASSERT_EQ(made.status, 200) << TextOf(made);
    const std::string address =
        JsonOf(made)["artifactContentInformation"][path]["contentUri"].get<std::string>();
    const HttpResponse put = Ask("PUT", TargetOf(address), text, {{"If-None-Match", "*"}});
    ASSERT_EQ(put.status, 201) << TextOf(put);
  }
  Json RegisterModel(const std::string& name, const std::string& prefix,
                     Json more = Json::object()) {
    const Json asset =
        JsonOf(Ask("POST", Workspace("/modelmanagement/v1.0") + "/assets",
                   DumpJson({{"name", name}, {"artifacts", {{{"prefix", prefix}}}}})));
    more["name"] = name;
    more["url"] = "aml://asset/" + asset.value("id", "");
    const HttpResponse made =
        Ask("POST", Workspace("/modelmanagement/v1.0") + "/models", DumpJson(more));
    EXPECT_EQ(made.status, 200) << TextOf(made);
    return JsonOf(made);
  }

  ControllerMetrics metrics_{"test"};
  EventHub events_{profiles_};
  LiveProgress live_;
  FakeRuntime runtime_;
  ProfileQueue queue_{{runtime_, models_, datasets_, sources_, artifacts_, runtime_.clock()},
                      profiles_,
                      events_,
                      live_,
                      metrics_};
  ProfileService service_{profiles_, models_, datasets_, sources_, artifacts_,
                          queue_,    events_, live_,     "docker"};
  ComparisonRepository comparisons_{*database_};
  ComparisonService comparison_service_{comparisons_, service_, models_};
  Retention retention_{{runtime_, *database_, *content_, profiles_,
                        [this](const std::string& workspace, const std::string& id) {
                          return service_.Delete(workspace, id);
                        },
                        metrics_, folder_.path()},
                       {}};
  BlobStore blobs_{*database_, *content_};
  AzureRecords records_{*database_};
  DatasetTexts texts_{*content_};
  std::unique_ptr<TokenRepository> tokens_ = TokenRepository::Open(*database_).value();
  const std::string writer_ = tokens_->Create({"writer", Scope::kWrite}).value().secret;
  const std::string reader_ = tokens_->Create({"reader", Scope::kRead}).value().secret;
  AccessRules access_;
  AzureAddress address_{"http://127.0.0.1:8080", "https://127.0.0.1:8443", "127.0.0.1:8443"};
  AzureServices azure_{{models_, datasets_, sources_, service_, comparison_service_, retention_,
                        *database_, *tokens_, access_, metrics_, [] { return Status(); }, "test"},
                       blobs_,
                       records_,
                       texts_,
                       *content_,
                       std::string(32, 's'),
                       [this] { return address_; }};
  Router router_;
};

}  // namespace mlprof::server
