// contract_server DATA_DIR [--tokens] [--tls]: the whole interface over real storage, with a
// runtime that starts no containers. Prints "route METHOD PATTERN" for each route, then "listening
// URL", and ends at the end of its standard input. --tokens: everybody needs one; prints "token
// KIND SECRET" for each kind. --tls: answers over TLS as well; prints "ca FILE" and "tls URL".
// Prints "profiler KIND ADDRESS" for each program that it may take device traces from.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <span>

#include "common/http/server.h"
#include "server/azure/azure_api.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/datasets/dataset_texts.h"
#include "server/devices/profiler/field_writer.h"
#include "server/devices/profiler/live_captures.h"
#include "server/devices/profiler/profiler_client.h"
#include "server/metrics/controller_metrics.h"
#include "server/profiling/comparison/comparison_oversight.h"
#include "server/profiling/comparison/comparison_service.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"
#include "server/profiling/queue/profile_queue.h"
#include "server/profiling/queue/profile_service.h"
#include "server/registry/artifact_store.h"
#include "server/registry/capture_store.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/model_registry.h"
#include "server/registry/source_registry.h"
#include "server/rest/access.h"
#include "server/rest/problem.h"
#include "server/rest/rest_api.h"
#include "server/retention/retention.h"
#include "server/storage/azure_records.h"
#include "server/storage/comparison_repository.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/tokens.h"
#include "server/tls/own_certificate.h"
#include "tests/fakes/fake_device.h"
#include "tests/fakes/fake_profiler_server.h"
#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {
namespace {

struct Choices {
  std::filesystem::path directory;
  bool tokens = false;
  bool tls = false;
};

// A token of each kind; all callers need one.
Status PrintTokens(TokenRepository& tokens) {
  const Timestamp long_ago = Now() - std::chrono::hours(1);
  const std::array<std::pair<const char*, NewToken>, 4> kinds = {
      {{"write", {"writes", Scope::kWrite, std::nullopt}},
       {"read", {"reads", Scope::kRead, Now() + std::chrono::hours(1)}},
       {"expired", {"expired", Scope::kWrite, long_ago}},
       {"revoked", {"revoked", Scope::kWrite, std::nullopt}}}};
  for (const auto& [kind, token] : kinds) {
    MLPROF_LET(created, tokens.Create(token));
    std::printf("token %s %s\n", kind, created.secret.c_str());
  }
  return tokens.Revoke("revoked");
}

Result<std::optional<HttpTlsOptions>> MakeTls(const Choices& choices) {
  if (!choices.tls) return std::nullopt;
  MLPROF_LET(files, EnsureOwnCertificate(choices.directory / "tls",
                                         NamesOf({"localhost", "127.0.0.1", "::1"}), Now()));
  MLPROF_LET(context, TlsContext::ForServer(files.certificate, files.key));
  std::printf("ca %s\n", files.authority.c_str());
  return HttpTlsOptions{"127.0.0.1", 0, std::move(context)};
}

void PrintAddresses(const Router& router, const HttpServer& server) {
  for (const Route& route : router.routes()) {
    std::printf("route %s %s\n", route.method.c_str(), route.pattern.c_str());
  }
  if (server.tls_port() != 0) std::printf("tls https://127.0.0.1:%d\n", server.tls_port());
  std::printf("listening http://127.0.0.1:%d\n", server.port());
  std::fflush(stdout);
}

// Known once the server listens.
AzureAddress AddressOf(const AccessRules& access) {
  AzureAddress address;
  address.https_authority = "127.0.0.1:" + std::to_string(access.http_port());
  address.https_base = "http://" + address.https_authority;
  return address;
}

// Of the imitated model's own profiler server.
constexpr int kProfilerPort = 6000;

// Programs that traces are taken from: one that runs, and one where another profile does.
class Programs {
 public:
  Programs() {
    std::printf("profiler running 127.0.0.1:%d\n", running_.port());
    std::printf("profiler busy 127.0.0.1:%d\n", busy_.port());
  }
  profiler::LiveCaptures& captures() { return captures_; }
  profiler::TraceSource& client() { return client_; }
  static std::string Answer() {
    std::ifstream file(MLPROF_SOURCE_DIR "/tests/fixtures/device_traces/tpu_synth_flow.xplane.pb",
                       std::ios::binary);
    profiler::FieldWriter response;
    response.Bytes(8, std::string(std::istreambuf_iterator<char>(file), {}));
    return response.message();
  }

 private:
  static profiler::ProfilerAddress AddressOf(const fakes::FakeProfilerServer& server) {
    return {"127.0.0.1", static_cast<unsigned short>(server.port())};
  }

  fakes::FakeProfilerServer running_{{.response = Answer()}};
  fakes::FakeProfilerServer busy_{
      {.status = "13", .status_message = "Another profiling session active."}};
  profiler::ProfilerClient client_;
  profiler::LiveCaptures captures_{client_, {AddressOf(running_), AddressOf(busy_)}};
};

Status Serve(const Choices& choices, Database& database, ContentStore& content) {
  ControllerMetrics metrics(MLPROF_VERSION);
  ModelRegistry models(database, content);
  DatasetRegistry datasets(database, content);
  SourceRegistry sources(database, content);
  ArtifactStore artifacts(database, content);
  CaptureStore captures(database, content);
  ProfileRepository profiles(database);
  ComparisonRepository comparisons(database);
  ComparisonOversight oversight(comparisons, profiles);
  EventHub events(profiles);
  LiveProgress live;
  Programs programs;
  FakeModel model;
  model.ports[kProfilerPort] = fakes::ProfilerPort({.response = Programs::Answer()});
  FakeRuntime runtime(model);
  MLPROF_LET(tokens, TokenRepository::Open(database));
  if (choices.tokens) MLPROF_TRY(PrintTokens(*tokens));
  FakeDevice device;
  RunServices runs{runtime, models, datasets, sources, artifacts, runtime.clock()};
  runs.instruments.push_back(device.Instrument());
  runs.oversight = &oversight;
  runs.traces.emplace(TraceTaking{
      programs.client(), content.incoming(), std::filesystem::temp_directory_path(), [] {
        return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch());
      }});
  ProfileQueue queue(std::move(runs), profiles, events, live, metrics);
  ProfileService service(profiles, models, datasets, sources, artifacts, queue, events, live,
                         "docker");
  ComparisonService comparison_service(comparisons, service, models);
  MLPROF_TRY(queue.Start(InterruptedPolicy::kRequeue));

  using Local = AccessRules::Local;
  AccessRules access(choices.tokens ? Local::kNeedsToken : Local::kTrusted);
  access.AcceptBearer([&](std::string_view token) { return tokens->Check(token); });
  runtime.Keep({"mlprof-env:0123456789abcdef", GiB(1), Now() - std::chrono::hours(31 * 24)});
  Retention retention({runtime, database, content, profiles,
                       [&service](const std::string& workspace, const std::string& id) {
                         return service.Delete(workspace, id);
                       },
                       metrics, choices.directory},
                      {});
  Router router;
  Services services{models,   datasets, sources, service, comparison_service,      retention,
                    database, *tokens,  access,  metrics, [] { return Status(); }, MLPROF_VERSION};
  services.captures = &captures;
  services.live_captures = &programs.captures();
  AddRoutes(router, services);
  Router native = router;
  BlobStore blobs(database, content);
  AzureRecords records(database);
  DatasetTexts texts(content);
  const AzureServices azure{
      services, blobs, records, texts, content, std::string(32, 's'), [&access] {
        return AddressOf(access);
      }};
  AddAzureDocumentRoutes(native, azure);
  AddAzureRoutes(router, azure);
  GuardAzureRoutes(access, azure);
  MLPROF_LET(tls, MakeTls(choices));
  HttpServerOptions options;
  options.spool_directory = content.incoming();
  options.tls = std::move(tls);
  HttpServerHooks hooks;
  hooks.admit = [&access](const HttpRequest& request) { return access.Check(request); };
  hooks.refuse = [](int status, const std::string& detail, const HttpRequest& request) {
    return InAzureShape(RefuseWithProblem(status, detail, request), request);
  };
  MLPROF_LET(server, HttpServer::Start(options, router, hooks));
  access.SetPorts(server->port(), server->tls_port());
  PrintAddresses(native, *server);
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  server->Stop(std::chrono::seconds(1));
  queue.Stop();
  return {};
}

Status Main(const Choices& choices) {
  MLPROF_LET(database, Database::Open(choices.directory / "mlprof.db"));
  MLPROF_LET(content, ContentStore::Open(choices.directory));
  return Serve(choices, *database, *content);
}

}  // namespace
}  // namespace mlprof::server

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: contract_server DATA_DIR [--tokens] [--tls]\n");
    return 2;
  }
  mlprof::server::Choices choices{argv[1]};
  for (const std::string_view argument : std::span(argv + 2, argv + argc)) {
    choices.tokens = choices.tokens || argument == "--tokens";
    choices.tls = choices.tls || argument == "--tls";
  }
  const auto status = mlprof::server::Main(choices);
  if (!status) std::fprintf(stderr, "contract_server: %s\n", status.error().message().c_str());
  return status ? 0 : 1;
}
