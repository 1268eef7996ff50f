#include "server/app/controller.h"

#include <atomic>

#include "common/http/server.h"
#include "common/log/log.h"
#include "common/text/cpuset.h"
#include "server/app/core_affinity.h"
#include "server/app/disk_reserve.h"
#include "server/app/listening.h"
#include "server/app/readiness.h"
#include "server/app/recurring.h"
#include "server/app/retention_schedule.h"
#include "server/app/runtime_settings.h"
#include "server/app/tls_listener.h"
#include "server/app/token_file.h"
#include "server/app/whereabouts.h"
#include "server/azure/azure_api.h"
#include "server/azure/blobs/artifact_upload.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/datasets/dataset_texts.h"
#include "server/devices/gpu/container_processes.h"
#include "server/devices/gpu/device_pool.h"
#include "server/devices/gpu/patient_reader.h"
#include "server/devices/nvml/nvml_reader.h"
#include "server/devices/profiler/live_captures.h"
#include "server/devices/profiler/profiler_client.h"
#include "server/devices/tpu/tpu_reader.h"
#include "server/metrics/controller_metrics.h"
#include "server/profiling/comparison/comparison_oversight.h"
#include "server/profiling/comparison/comparison_service.h"
#include "server/profiling/lab/device_instrument.h"
#include "server/profiling/lab/tpu_instrument.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"
#include "server/profiling/queue/profile_queue.h"
#include "server/profiling/queue/profile_service.h"
#include "server/registry/artifact_store.h"
#include "server/registry/capture_store.h"
#include "server/registry/content_upkeep.h"
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
#include "server/storage/data_directory.h"
#include "server/storage/database.h"
#include "server/storage/instance_record.h"
#include "server/storage/tokens.h"

namespace mlprof::server {
namespace {

// What the steps of a stop may take; with an engine that hangs the queue needs most of its time.
constexpr std::chrono::seconds kQueueStop{5};
constexpr std::chrono::seconds kRequestsStop{2};
constexpr std::chrono::seconds kFilesClose{1};
// Files of Azure ML's clients that nothing was made of.
constexpr std::chrono::hours kArtifactsKept{7 * 24};
constexpr std::chrono::hours kSweepPause{1};
// A driver answers within milliseconds, or is sick; the first question starts it.
constexpr std::chrono::seconds kDriverPatience{5};
// A trace of some seconds is small, and a profile waits for it.
constexpr profiler::ProfilerLimits kTracesOfProfiles{MiB(256), std::chrono::seconds(10),
                                                     std::chrono::seconds(60)};

// The tokens there are, with the one that was given in a file.
Result<std::unique_ptr<TokenRepository>> OpenTokens(const ServerOptions& options,
                                                    Database& database) {
  auto tokens = TokenRepository::Open(database);
  if (!tokens || options.token_file.empty()) return tokens;
  MLPROF_LET(given, ReadTokenFile(options.token_file));
  (*tokens)->AddUnstored(given);
  return tokens;
}

void SweepArtifacts(BlobStore& blobs, AzureRecords& records) {
  const Timestamp when = Now() - kArtifactsKept;
  Status swept = blobs.RemoveOlder(kArtifactContainer, when);
  if (swept) swept = records.RemoveAssetsBefore(when);
  if (!swept) LogWarn("old artifacts left behind", {{"reason", swept.error().message()}});
}

const char* NameOf(TurnedAway how) {
  switch (how) {
    case TurnedAway::kIdle: return "idle";
    case TurnedAway::kBusy: return "busy";
    case TurnedAway::kDescriptors: return "descriptors";
  }
  return "";
}

// A proxy here need not leave a trace in what it forwards.
void WarnOfProxies(const ServerOptions& options) {
  if (options.public_url.empty() || options.require_token || options.allow_without_token) return;
  LogWarn(
      "requests that a proxy on this machine forwards may pass for local ones; "
      "--require-token asks every caller for a token");
}

}  // namespace

// Declared in the order they are built; each may use those before it.
struct Controller::Parts {
  Parts(const ServerOptions& told, DataDirectory directory, std::unique_ptr<Database> opened,
        std::unique_ptr<ContentStore> store, std::unique_ptr<TokenRepository> known)
      : options(told),
        data_directory(std::move(directory)),
        reserve(data_directory.path()),
        database(std::move(opened)),
        content(std::move(store)),
        tokens(std::move(known)),
        metrics(MLPROF_VERSION),
        models(*database, *content),
        datasets(*database, *content),
        sources(*database, *content),
        artifacts(*database, *content),
        captures(*database, *content),
        live_captures(profiler_client, told.capture_addresses),
        blobs(*database, *content),
        dataset_texts(*content),
        azure_records(*database),
        profiles(*database),
        comparisons(*database),
        oversight(comparisons, profiles),
        events(profiles),
        access(told.require_token ? AccessRules::Local::kNeedsToken
                                  : AccessRules::Local::kTrusted) {
    database->ObserveWrites(
        [this](std::chrono::nanoseconds time) { metrics.DatabaseWritten(time); });
    database->WhenDiskFull([this] { reserve.GiveUp(); });
    Introduce(options, access);
    access.AcceptBearer([this](std::string_view token) { return tokens->Check(token); });
  }

  void BuildService(const std::optional<CoreSplit>& cores) {
    RunServices services{*runtime, models, datasets, sources, artifacts, MonotonicClock::System()};
    if (cores) {
      const Cpuset model(CpusetText(cores->model), static_cast<int>(cores->model.size()));
      services.cpuset_of = [model](int) { return model; };
    }
    services.keep_root_read_only = options.keep_root_read_only;
    services.oversight = &oversight;
    services.devices = &gpus;
    services.tpus = &tpus;
    std::error_code no_folder;
    services.traces.emplace(TraceTaking{
        profile_traces, content->incoming(), std::filesystem::temp_directory_path(no_folder), [] {
          return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch());
        }});
    services.instruments.push_back(DeviceInstrument::Kind(
        gpus.reader(), [](const std::string& id, pid_t pid) { return devices::RunsIn(id, pid); }));
    services.instruments.push_back(TpuInstrument::Kind(
        tpus.reader(), [](const std::string& id, pid_t pid) { return devices::RunsIn(id, pid); }));
    queue.emplace(std::move(services), profiles, events, live, metrics);
    readiness.emplace([this](const Patience& patience) {
      return runtime->Check(patience.deadline, patience.stop);
    });
    service.emplace(profiles, models, datasets, sources, artifacts, *queue, events, live,
                    options.runtime, &gpus, &tpus);
    comparison_service.emplace(comparisons, *service, models);
    retention.emplace(
        RetentionServices{*runtime, *database, *content, profiles,
                          [this](const std::string& workspace, const std::string& id) {
                            return service->Delete(workspace, id);
                          },
                          metrics, data_directory.path()},
        options.retention);
    const Services offered{models,
                           datasets,
                           sources,
                           *service,
                           *comparison_service,
                           *retention,
                           *database,
                           *tokens,
                           access,
                           metrics,
                           [this] { return Ready(); },
                           MLPROF_VERSION,
                           options.budget,
                           [this] { return Tls(); },
                           &captures,
                           &live_captures};
    AddRoutes(router, offered);
    const AzureServices azure{
        offered, blobs, azure_records, dataset_texts, *content, azure_secret, [this] {
          return AddressForAzure();
        }};
    AddAzureRoutes(router, azure);
    GuardAzureRoutes(access, azure);
  }

  /// Never waits.
  Status Ready() const {
    if (stage == Stage::kStarting) return Fail(Unavailable("the server is starting"));
    if (stage == Stage::kStopping) return Fail(Unavailable("the server is stopping"));
    MLPROF_TRY(database->Health());
    MLPROF_TRY(readiness->Newest());
    return queue->Health();
  }

  /// Listens before anything waits: whatever the engine does, the server answers.
  Status Begin() {
    MLPROF_TRY(Listen());
    MLPROF_TRY(readiness->Start());
    if (!options.leave_profiles) {
      MLPROF_TRY(queue->Start(options.exit_when_unused ? InterruptedPolicy::kFail
                                                       : InterruptedPolicy::kRequeue));
    }
    auto sweeping = Recurring::Start("sweep", kSweepPause, [this] {
      SweepArtifacts(blobs, azure_records);
      upkeep->Prune();
    });
    if (!sweeping) return Fail(sweeping.error());
    sweep.emplace(*std::move(sweeping));
    if (!options.leave_profiles) {
      looking.emplace(
          *retention, [this] { return bool(Ready()); }, [this] { return queue->Runs(); });
      MLPROF_TRY(looking->Start());
    }
    MLPROF_TRY(reserve.Start());
    stage = Stage::kServing;
    return {};
  }

  std::optional<HttpResponse> Admit(const HttpRequest& request) const {
    auto refusal = access.Check(request);
    if (!refusal) return std::nullopt;
    return InAzureShape(std::move(*refusal), request);
  }

  HttpServerHooks Hooks() {
    HttpServerHooks hooks;
    hooks.admit = [this](const HttpRequest& request) { return Admit(request); };
    hooks.refuse = [](int status, const std::string& detail, const HttpRequest& request) {
      return InAzureShape(RefuseWithProblem(status, detail, request), request);
    };
    hooks.served = [this](const std::string& route, const std::string& method, int status,
                          double seconds) { metrics.HttpServed(route, method, status, seconds); };
    hooks.knows = [this](const HttpRequest& request) { return access.Knows(request); };
    hooks.turned_away = [this](TurnedAway how) { metrics.ConnectionTurnedAway(NameOf(how)); };
    return hooks;
  }

  Status Listen() {
    MLPROF_LET(tls, MakeTlsListener(options, data_directory.path()));
    MLPROF_LET(authority, OwnAuthority(options, data_directory.path()));
    own_ca = std::move(authority);
    HttpServerOptions http;
    http.address = options.listen.address;
    http.port = options.listen.port;
    http.tls = std::move(tls);
    http.spool_directory = content->incoming();
    MLPROF_LET(listening, HttpServer::Start(http, router, Hooks()));
    server = std::move(listening);
    access.SetPorts(server->port(), server->tls_port());
    return {};
  }

  /// Where clients reach this server over TLS, once it listens. Any thread.
  std::optional<TlsFacts> Tls() const {
    const AzureAddress address = AddressForAzure();
    if (address.https_base.empty()) return std::nullopt;
    return TlsFacts{address.https_base, own_ca};
  }

  /// Where clients of the Azure ML v1 routes find this server, once it listens. Any thread.
  AzureAddress AddressForAzure() const {
    return AzureAddressOf(options, access.http_port(), access.https_port());
  }

  const ServerOptions options;
  DataDirectory data_directory;
  DiskReserve reserve;
  std::unique_ptr<Database> database;
  std::unique_ptr<ContentStore> content;
  std::unique_ptr<TokenRepository> tokens;
  ControllerMetrics metrics;
  ModelRegistry models;
  DatasetRegistry datasets;
  SourceRegistry sources;
  ArtifactStore artifacts;
  CaptureStore captures;
  profiler::ProfilerClient profiler_client;
  profiler::LiveCaptures live_captures;
  profiler::ProfilerClient profile_traces{kTracesOfProfiles};
  BlobStore blobs;
  DatasetTexts dataset_texts;
  AzureRecords azure_records;
  std::string azure_secret;
  ProfileRepository profiles;
  ComparisonRepository comparisons;
  ComparisonOversight oversight;
  EventHub events;
  LiveProgress live;
  AccessRules access;
  std::unique_ptr<Runtime> runtime;
  const std::shared_ptr<devices::PatientReader> driver = std::make_shared<devices::PatientReader>(
      std::make_shared<nvml::NvmlReader>(), kDriverPatience);
  devices::DevicePool gpus{driver};
  devices::DevicePool tpus{std::make_shared<tpu::TpuReader>(),
                           {"TPU chip", "`tpu-info -p` lists it", true}};
  std::optional<Readiness> readiness;
  std::optional<ProfileQueue> queue;
  std::optional<ProfileService> service;
  std::optional<ComparisonService> comparison_service;
  std::optional<Retention> retention;
  Router router;
  enum class Stage { kStarting, kServing, kStopping };
  std::atomic<Stage> stage = Stage::kStarting;
  std::string own_ca;  // set before the server listens
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<ContentUpkeep> upkeep;
  std::optional<Recurring> sweep;
  std::optional<RetentionSchedule> looking;
};

Controller::Controller(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Controller::~Controller() = default;

Result<std::unique_ptr<Controller>> Controller::Start(const ServerOptions& options) {
  const auto cores = KeepOffTheModelsCores();
  MLPROF_TRY(StartLogThread());  // on those cores too
  if (cores) {
    LogInfo("cores split",
            {{"controller", CpusetText(cores->replayer)}, {"model", CpusetText(cores->model)}});
  }
  MLPROF_LET(directory, DataDirectory::Open(options.data_dir));
  const std::filesystem::path data_dir = directory.path();
  MLPROF_TRY(RefuseLostDatabase(directory));
  MLPROF_LET(database,
             Database::Open(directory.DatabaseFile(), {.repair_indexes = options.repair_indexes}));
  MLPROF_LET(content, ContentStore::Open(data_dir));
  MLPROF_LET(tokens, OpenTokens(options, *database));
  MLPROF_TRY(CheckListening(options, tokens->HasValid()));
  MLPROF_LET(instance, SettleInstance(*database, data_dir, MachineId()));
  TellWhereabouts(instance, data_dir);

  auto parts = std::make_unique<Parts>(options, std::move(directory), std::move(database),
                                       std::move(content), std::move(tokens));
  MLPROF_LET(upkeep, ContentUpkeep::Start(*parts->database, *parts->content));
  parts->upkeep = std::move(upkeep);
  MLPROF_LET(runtime, MakeRuntime(options, data_dir, instance.id, parts->metrics, parts->access));
  parts->runtime = std::move(runtime);
  MLPROF_LET(secret, LoadAzureSecret(data_dir / "azure.key"));
  parts->azure_secret = std::move(secret);
  parts->BuildService(cores);
  MLPROF_TRY(parts->Begin());
  WarnOfProxies(options);
  return std::unique_ptr<Controller>(new Controller(std::move(parts)));
}

std::vector<std::string> Controller::urls() const {
  const ServerOptions& options = parts_->options;
  std::vector<std::string> urls = {UrlOf("http", options.listen, parts_->server->port())};
  if (options.tls_listen) {
    urls.push_back(UrlOf("https", *options.tls_listen, parts_->server->tls_port()));
  }
  return urls;
}

// The queue first: a request that hangs must not keep containers alive. What is accepted meanwhile
// is stored, and runs after the next start.
void Controller::Stop(StopLimit& limit) {
  if (parts_->stage.exchange(Parts::Stage::kStopping) == Parts::Stage::kStopping) return;
  limit.Enter("the queue and its containers", kQueueStop);
  parts_->readiness->Stop();
  parts_->retention->Stop();
  parts_->driver->GiveUp();  // one that hangs would hold up the end of a run
  parts_->queue->Stop();
  parts_->live_captures.Stop();
  limit.Enter("requests", kRequestsStop);
  parts_->server->Stop(kRequestsStop);
  limit.Enter("files", kFilesClose);
}

}  // namespace mlprof::server
