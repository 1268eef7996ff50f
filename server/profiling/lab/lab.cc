#include "server/profiling/lab/lab.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::seconds kLaunchLimit{60};
constexpr std::chrono::minutes kCopyLimit{10};

// What the image holds where the model may write is copied for each container.
Deadline LaunchDeadline(const LaunchRequest& request) {
  const bool copies = !request.image.volumes.empty() || !request.config.writable_paths.empty();
  return Deadline::After(copies ? kLaunchLimit + kCopyLimit : kLaunchLimit);
}

std::string ContainerName(const std::string& profile_id, int launch) {
  return "mlprof-" + profile_id + "-" + std::to_string(launch);
}

// Errors that say nothing of the model and will pass: the run is stopped for that reason, and begun
// again.
std::optional<StopReason> Passing(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kDeadlineExceeded: return StopReason::kEngine;
    case ErrorCode::kResourceExhausted: return StopReason::kRoom;
    default: return std::nullopt;
  }
}

// What to look at where a container with devices did not start; "": it had none.
std::string DeviceAdvice(const Subject& subject, const RuntimeWords& runtime) {
  if (subject.devices.empty()) return "";
  if (subject.tpus.empty()) return runtime.device_access;
  return "see that the engine runs on this machine, where the TPU's files are in /dev, and that it "
         "may give a container unlimited locked memory";
}

// A folder that the model was given to write to may be too large to be copied.
ProfileError LaunchFailed(const Setup& setup, const std::string& device_advice, ErrorCode code,
                          const std::string& what) {
  ProfileError error{"RuntimeFailed", what, {"run `mlprof doctor` on the server's machine"}, ""};
  if (!device_advice.empty()) error.advice.push_back(device_advice);
  if (code != ErrorCode::kTooLarge || setup.given.empty()) return error;
  const RefusedWrite& last = setup.given.back();
  error.message += "; " + last.folder + " is one of them since the model writes to " + last.path;
  error.advice = {"let it write to /tmp, HOME or $TMPDIR, or to a folder of its own"};
  return error;
}

}  // namespace

Lab::Lab(Parts parts, Subject subject)
    : parts_(parts),
      subject_(std::move(subject)),
      ceiling_(subject_.ceiling),
      machine_(subject_.host) {}

PhaseResult<std::unique_ptr<Container>> Lab::Launch(const ContainerPlan& plan) {
  LaunchRequest request;
  request.container_name = ContainerName(subject_.profile_id, ++launches_);
  request.profile_id = subject_.profile_id;
  request.image = subject_.image;
  request.config = subject_.config;
  request.limits = plan.limits;
  request.cpuset = plan.setup.cpuset.text();
  request.inputs = subject_.inputs;
  if (subject_.tpus.empty()) request.devices = subject_.devices;
  request.device_files = subject_.tpus.files;
  for (const RefusedWrite& write : plan.setup.given) {
    request.config.writable_paths.push_back(write.folder);
  }
  auto target = parts_.runtime.Launch(request, parts_.run_stop.token(), LaunchDeadline(request));
  if (target) {
    auto container = std::make_unique<Container>(*this, plan, launches_, std::move(*target));
    machine_ = container->host();
    return container;
  }
  if (stopped()) return Canceled();
  const std::string what = "a container could not be launched: " + target.error().message();
  const auto reason = Passing(target.error());
  if (reason && plan.use != Use::kRecorded) {
    parts_.run_stop.Ask(*reason, reason == StopReason::kRoom ? target.error().message() : what);
    return Canceled();
  }
  return FailRun(LaunchFailed(plan.setup, DeviceAdvice(subject_, parts_.runtime.words()),
                              target.error().code(), what));
}

void Lab::Record(Trial trial) {
  trial.number = ++trials_;
  parts_.journal.Add(trial);
  parts_.announcer.TrialDone(trial);
}

void Lab::Progressed(double fraction, const std::string& message) {
  std::optional<double> left;
  if (parts_.budget.begun()) left = std::chrono::duration<double>(parts_.budget.MostLeft()).count();
  parts_.phases.Progressed(fraction, message, left);
}

}  // namespace mlprof::server
