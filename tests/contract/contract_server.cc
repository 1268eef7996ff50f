// contract_server DATA_DIR: the whole interface over real storage, with a runtime that starts no
// containers. Prints "route METHOD PATTERN" for each route, then "listening URL", and ends at the
// end of its standard input.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>

#include "common/http/server.h"
#include "server/metrics/controller_metrics.h"
#include "server/profiling/event_hub.h"
#include "server/profiling/live_progress.h"
#include "server/profiling/profile_queue.h"
#include "server/profiling/profile_service.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/model_registry.h"
#include "server/registry/source_registry.h"
#include "server/rest/access.h"
#include "server/rest/problem.h"
#include "server/rest/rest_api.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "tests/fakes/fake_runtime.h"

namespace mlprof {
namespace {

int Complain(const Error& error) {
  std::fprintf(stderr, "contract_server: %s\n", error.message().c_str());
  return 1;
}

int Serve(Database& database, ContentStore& content) {
  ControllerMetrics metrics(MLPROF_VERSION);
  ModelRegistry models(database, content);
  DatasetRegistry datasets(database, content);
  SourceRegistry sources(database, content);
  ProfileRepository profiles(database);
  EventHub events(profiles);
  LiveProgress live;
  FakeRuntime runtime;
  ProfileQueue queue({runtime, models, datasets, sources, runtime.clock()}, profiles, events, live,
                     metrics);
  ProfileService service(profiles, models, datasets, sources, queue, events, live, "docker");
  queue.Start(InterruptedPolicy::kRequeue);

  Router router;
  AddRoutes(router, {models, datasets, sources, service, database, metrics, [] { return Status(); },
                     MLPROF_VERSION});
  AccessRules access;
  HttpServerOptions options;
  options.spool_directory = content.incoming();
  HttpServerHooks hooks;
  hooks.admit = [&access](const HttpRequest& request) { return access.Check(request); };
  hooks.refuse = RefuseWithProblem;
  auto server = HttpServer::Start(options, router, hooks);
  if (!server) return Complain(server.error());
  access.SetPorts((*server)->port(), 0);
  for (const Route& route : router.routes()) {
    std::printf("route %s %s\n", route.method.c_str(), route.pattern.c_str());
  }
  std::printf("listening http://127.0.0.1:%d\n", (*server)->port());
  std::fflush(stdout);
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  (*server)->Stop(std::chrono::seconds(1));
  queue.Stop();
  return 0;
}

int Main(const std::filesystem::path& directory) {
  auto database = Database::Open(directory / "mlprof.db");
  if (!database) return Complain(database.error());
  auto content = ContentStore::Open(directory);
  if (!content) return Complain(content.error());
  return Serve(**database, **content);
}

}  // namespace
}  // namespace mlprof

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: contract_server DATA_DIR\n");
    return 2;
  }
  return mlprof::Main(argv[1]);
}
