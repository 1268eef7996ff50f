// A whole controller without HTTP and without containers: real storage in a temporary folder, the
// imitated runtime, the real queue and service.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "server/devices/gpu/device_pool.h"
#include "server/metrics/controller_metrics.h"
#include "server/profiling/comparison/comparison_oversight.h"
#include "server/profiling/comparison/comparison_service.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"
#include "server/profiling/queue/profile_queue.h"
#include "server/profiling/queue/profile_service.h"
#include "server/registry/artifact_store.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/model_registry.h"
#include "server/registry/source_registry.h"
#include "server/storage/comparison_repository.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {

/// Of profiles that are to come to an answer.
inline constexpr std::chrono::seconds kBudget{300};

inline bool HasWarning(const Profile& profile, const std::string& code) {
  return std::any_of(profile.warnings.begin(), profile.warnings.end(),
                     [&](const Warning& warning) { return warning.code == code; });
}

class ProfilingBench {
 public:
  explicit ProfilingBench(FakeModel model = {}, bool keep_root_read_only = false)
      : runtime(std::move(model)), keep_root_read_only_(keep_root_read_only) {
    runtime.host_load = [this] { return ReadImitatedHost(); };
    Open();
  }
  ~ProfilingBench() {
    Close();
    std::filesystem::remove_all(folder_);
  }

  /// As after a restart of the server on the same data directory.
  void Restart(InterruptedPolicy policy = InterruptedPolicy::kRequeue) {
    Close();
    Open(policy);
  }
  void Close() {
    comparison_service_.reset();
    service_.reset();
    queue_.reset();
    events_.reset();
    oversight_.reset();
    comparisons_.reset();
    profiles_.reset();
    artifacts_.reset();
    sources_.reset();
    datasets_.reset();
    models_.reset();
    content_.reset();
    database_.reset();
  }

  /// Registers a model "m" (one file) and a dataset "d" of `rows`.
  void RegisterInputs(const std::string& rows) {
    NewModel model;
    model.workspace = "default";
    model.name = "m";
    ASSERT_TRUE(models_->Register(model, Spool(OneFileTar()), {}).has_value());
    RegisterRows("d", rows);
  }
  void RegisterRows(const std::string& name, const std::string& rows) {
    NewDataset dataset;
    dataset.workspace = "default";
    dataset.name = name;
    dataset.content_type = "text/plain";
    ASSERT_TRUE(datasets_->Register(dataset, Spool(rows), {}).has_value());
  }

  /// The id of a source with one file, "weights".
  std::string RegisterSource() {
    return sources_->Register("default", Spool(OneFileTar())).value_or("");
  }

  static ProfileRequest Request(const std::string& name, std::chrono::seconds budget) {
    ProfileRequest request;
    request.name = name;
    request.model_ids = {"m"};
    request.input_dataset_id = "d";
    InferenceConfig config;
    ImageConfig image;
    image.image = "imitation";
    config.service = image;
    request.inference_config = config;
    request.budget = budget;
    return request;
  }

  /// Waits, by its events, until the profile is finished.
  Profile AwaitEnd(const std::string& name) {
    std::int64_t last = 0;
    const Deadline deadline = Deadline::After(std::chrono::seconds(60));
    auto profile = service_->Get("default", name);
    while (profile && !IsFinished(profile->state) && !deadline.Passed()) {
      AwaitEventAfter(profile->id, last, deadline);
      last = LastEventId(profile->id, last);
      profile = service_->Get("default", name);
    }
    EXPECT_TRUE(profile.has_value());
    return profile.value_or(Profile());
  }

  void AwaitPhase(const std::string& profile_id, const std::string& phase) {
    const Deadline deadline = Deadline::After(std::chrono::seconds(30));
    for (std::int64_t last = 0; !deadline.Passed(); AwaitEventAfter(profile_id, last, deadline)) {
      const auto events = events_->After(profile_id, last);
      ASSERT_TRUE(events.has_value());
      for (const StoredEvent& event : *events) {
        last = event.id;
        if (event.type == "phase" && ParseJson(event.data)->value("phase", "") == phase) return;
      }
    }
    ADD_FAILURE() << "phase " << phase << " was not reached";
  }

  /// Waits until `holds()`.
  static void AwaitUntil(const std::function<bool()>& holds) {
    const Deadline deadline = Deadline::After(std::chrono::seconds(30));
    while (!holds() && !deadline.Passed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_TRUE(holds()) << "it did not come about";
  }
  /// Until GET shows a progress with these words.
  void AwaitMessage(const std::string& name, const std::string& words) {
    AwaitUntil([&] {
      const auto profile = service_->Get("default", name);
      return profile && profile->progress.message.find(words) != std::string::npos;
    });
  }

  ProfileService& service() { return *service_; }
  ComparisonOversight& oversight() { return *oversight_; }
  ComparisonService& comparisons() { return *comparison_service_; }
  ProfileQueue& queue() { return *queue_; }
  std::filesystem::path database_file() const { return folder_ / "mlprof.db"; }
  ModelRegistry& models() { return *models_; }
  Database& database() { return *database_; }
  ProfileRepository& profiles() { return *profiles_; }
  ArtifactStore& artifacts() { return *artifacts_; }
  ContentStore& content() { return *content_; }
  EventHub& events() { return *events_; }

  static QueueWaits ShortWaits() {
    QueueWaits waits;
    waits.storage_first = waits.storage_most = std::chrono::milliseconds(20);
    waits.engine_look = waits.engine_first_proof = std::chrono::milliseconds(20);
    waits.engine_longest_proof = std::chrono::milliseconds(100);
    waits.private_patience = std::chrono::milliseconds(200);
    return waits;
  }

  FakeRuntime runtime;
  /// Of the queue that the next Restart() makes.
  QueueWaits waits = ShortWaits();
  /// What all programs of the imitated host keep busy, the model among them. Set before a profile
  /// runs; less than the model uses is a quiet host.
  double busy_cores = 0;
  /// Work that comes and goes: it is there for the first third of each such stretch alone. 0:
  /// always.
  std::chrono::seconds busy_every{0};
  bool OtherWorkIsThere() const {
    const auto now = runtime.clock().Now();
    return BusyUntil(now + std::chrono::milliseconds(1)) > BusyUntil(now);
  }
  /// The model's on a host of so many. Of the queue that the next Restart() makes.
  std::function<Cpuset(int)> cpuset_of = &Cpuset::Whole;
  /// In place of the comparisons'. Of the queue that the next Restart() makes.
  RunOversight* overseer = nullptr;
  /// Beside the agent's samples. Of the queue that the next Restart() makes.
  std::vector<InstrumentKind> more_instruments;
  /// The GPUs of the imitated host; nullptr: it gives none. Of the queue that the next Restart()
  /// makes; must outlive it.
  devices::DevicePool* gpus = nullptr;
  devices::DevicePool* tpus = nullptr;  // likewise
  /// Where device traces come from; nullptr: none are taken. Of the queue that the next Restart()
  /// makes; must outlive it.
  profiler::TraceSource* traces = nullptr;
  /// By how much the time since 1970 is ahead of the imitated clock.
  static constexpr std::chrono::nanoseconds kUnixAhead = std::chrono::hours(400'000);

 private:
  std::chrono::nanoseconds BusyUntil(std::chrono::nanoseconds now) const {
    const std::chrono::nanoseconds stretch = busy_every;
    if (stretch.count() == 0) return now;
    return now / stretch * (stretch / 3) + std::min(now % stretch, stretch / 3);
  }

  HostLoad ReadImitatedHost() const {
    HostLoad load;
    load.at = runtime.clock().Now();
    load.busy_seconds = busy_cores * std::chrono::duration<double>(BusyUntil(load.at)).count();
    return load;
  }

  void AwaitEventAfter(const std::string& profile_id, std::int64_t last, Deadline deadline) {
    std::promise<void> happened;
    events_->WhenAfter(profile_id, last, [&] { happened.set_value(); });
    EXPECT_EQ(happened.get_future().wait_until(deadline.when()), std::future_status::ready);
  }

  std::int64_t LastEventId(const std::string& profile_id, std::int64_t last) {
    const auto events = events_->After(profile_id, last);
    return events && !events->empty() ? events->back().id : last;
  }

  void Open(InterruptedPolicy policy = InterruptedPolicy::kRequeue) {
    if (folder_.empty()) {
      std::string pattern = (std::filesystem::temp_directory_path() / "mlprof-XXXXXX").string();
      folder_ = mkdtemp(pattern.data());
    }
    database_ = std::move(*Database::Open(database_file()));
    content_ = std::move(*ContentStore::Open(folder_));
    models_.emplace(*database_, *content_);
    datasets_.emplace(*database_, *content_);
    sources_.emplace(*database_, *content_);
    artifacts_.emplace(*database_, *content_);
    profiles_.emplace(*database_);
    events_.emplace(*profiles_);
    RunServices services{runtime, *models_, *datasets_, *sources_, *artifacts_, runtime.clock()};
    services.cpuset_of = cpuset_of;
    for (const InstrumentKind& kind : more_instruments) services.instruments.push_back(kind);
    services.keep_root_read_only = keep_root_read_only_;
    services.devices = gpus;
    services.tpus = tpus;
    if (traces != nullptr) {
      services.traces.emplace(TraceTaking{*traces, content_->incoming(),
                                          std::filesystem::temp_directory_path(),
                                          [this] { return runtime.clock().Now() + kUnixAhead; }});
    }
    comparisons_.emplace(*database_);
    oversight_.emplace(*comparisons_, *profiles_);
    services.oversight = overseer != nullptr ? overseer : &*oversight_;
    queue_.emplace(std::move(services), *profiles_, *events_, live_, metrics_, waits);
    service_.emplace(*profiles_, *models_, *datasets_, *sources_, *artifacts_, *queue_, *events_,
                     live_, "docker", gpus, tpus);
    comparison_service_.emplace(*comparisons_, *service_, *models_);
    ASSERT_TRUE(queue_->Start(policy).has_value());
  }

  // A ustar archive with one empty file; the checksum is the sum of the header's bytes, its own
  // field counted as blanks.
  static std::string OneFileTar() {
    std::string tar(1536, '\0');
    tar.replace(0, 7, "weights");
    tar.replace(100, 7, "0000644");
    tar.replace(108, 7, "0000000");
    tar.replace(116, 7, "0000000");
    tar.replace(124, 11, "00000000000");
    tar.replace(136, 11, "00000000000");
    tar.replace(148, 8, "        ");
    tar[156] = '0';
    tar.replace(257, 5, "ustar");
    tar.replace(263, 2, "00");
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(tar[i]);
    char text[8];
    std::snprintf(text, sizeof text, "%06o", sum);
    tar.replace(148, 7, std::string(text) + '\0');
    return tar;
  }

  SpooledBody Spool(const std::string& bytes) {
    const auto file = content_->NewIncomingPath();
    std::ofstream(file, std::ios::binary) << bytes;
    return {std::make_shared<const std::filesystem::path>(file),
            Bytes(static_cast<std::int64_t>(bytes.size())), std::to_string(bytes.size())};
  }

  const bool keep_root_read_only_;
  std::filesystem::path folder_;
  ControllerMetrics metrics_{"test"};
  LiveProgress live_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<ContentStore> content_;
  std::optional<ModelRegistry> models_;
  std::optional<DatasetRegistry> datasets_;
  std::optional<SourceRegistry> sources_;
  std::optional<ArtifactStore> artifacts_;
  std::optional<ProfileRepository> profiles_;
  std::optional<EventHub> events_;
  std::optional<ProfileQueue> queue_;
  std::optional<ProfileService> service_;
  std::optional<ComparisonRepository> comparisons_;
  std::optional<ComparisonOversight> oversight_;
  std::optional<ComparisonService> comparison_service_;
};

/// `count` distinct rows as text/plain.
inline std::string TextRows(int count) {
  std::string rows;
  for (int i = 0; i < count; ++i) rows += "row " + std::to_string(i) + "\n";
  return rows;
}

}  // namespace mlprof::server
