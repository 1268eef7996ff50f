// `mlprof capture HOST:PORT`: a device trace of a program that runs, taken from its profiler server
// by this process, then looked at as `mlprof trace` does.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "client/cli/command.h"
#include "client/cli/output/text.h"
#include "client/cli/trace_view.h"
#include "server/devices/profiler/profiler_client.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;
namespace profiler = server::profiler;

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kRedrawCapture{200};

Result<milliseconds> DurationOf(const Options& options) {
  if (options.Has("--duration-ms") && options.Has("--duration-seconds")) {
    return WrongUse("--duration-ms and --duration-seconds say the same: give one of them");
  }
  MLPROF_LET(ms, options.Integer("--duration-ms", profiler::kShortestRecording.count()));
  MLPROF_LET(seconds, options.Number("--duration-seconds", 0.01));
  const milliseconds longest = profiler::kLongestRecording;
  const double asked = seconds ? *seconds * 1000 : static_cast<double>(ms.value_or(1000));
  if (asked > static_cast<double>(longest.count())) {
    return WrongUse("a recording may take 600 seconds at most");
  }
  return milliseconds(std::llround(asked));
}

std::string Seconds(milliseconds duration) {
  return Figure(static_cast<double>(duration.count()) / 1000) + " s";
}

// On a terminal one line that is redrawn, elsewhere one line in all.
std::function<void(Bytes, Bytes)> CaptureProgress(Session& session, const std::string& who,
                                                  milliseconds duration) {
  session.Say("recording " + who + " for " + Seconds(duration));
  if (!session.surroundings().err_is_terminal) return [](Bytes, Bytes) {};
  const auto began = Clock::now();
  return [&session, who, duration, began, drawn = began](Bytes received, Bytes total) mutable {
    const auto now = Clock::now();
    if (now - drawn < kRedrawCapture) return;
    drawn = now;
    const auto passed = std::chrono::duration_cast<milliseconds>(now - began);
    std::ostream& err = session.surroundings().err;
    err << "\r\033[K";
    if (total.count() > 0) {
      err << "receiving: " << Text(received) << " of " << Text(total);
    } else if (passed < duration) {
      err << "recording: " << passed.count() / 1000 << " s of " << Seconds(duration);
    } else {
      err << "waiting for the trace";
    }
    err << std::flush;
  };
}

Result<SpooledBody> Record(Session& session, const profiler::ProfilerAddress& address,
                           milliseconds duration) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) return Fail(Unavailable("no folder for temporary files: " + error.message()));
  profiler::ProfilerClient client;
  auto trace = client.Record(
      {address, duration, folder, CaptureProgress(session, address.Text(), duration), {}});
  if (session.surroundings().err_is_terminal) session.surroundings().err << "\r\033[K";
  return trace;
}

// A file of its own where it is named as one, else what XProf looks for below a log directory.
Status SaveTrace(Session& session, const fs::path& trace, const std::string& host,
                 const std::string& target) {
  if (!target.ends_with(kTraceEnding)) {
    MLPROF_LET(copy, ExportCopy(trace, host, target));
    session.Say("wrote " + copy.string() + "; open it with: xprof --logdir " + target);
    return {};
  }
  std::error_code error;
  fs::copy_file(trace, target, fs::copy_options::overwrite_existing, error);
  if (error) return WrongUse("cannot write " + target + ": " + error.message());
  session.Say("wrote " + target);
  return {};
}

// Before anything is recorded: a folder that cannot be made is no reason to lose a trace.
Status MakeFolderOf(const fs::path& target) {
  const bool is_file = target.string().ends_with(kTraceEnding);
  const fs::path folder = is_file ? target.parent_path() : target;
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) return WrongUse("cannot create " + folder.string() + ": " + error.message());
  return {};
}

Result<int> CaptureTrace(Session& session, const Options& options) {
  MLPROF_LET(address, profiler::ParseProfilerAddress(options.operands()[0]));
  MLPROF_LET(duration, DurationOf(options));
  const std::string tool = options.Has("--tool") ? options.Text("--tool") : "overview_page";
  MLPROF_TRY(CheckTraceTool(tool));
  if (options.Has("--target-dir")) MLPROF_TRY(MakeFolderOf(options.Text("--target-dir")));
  MLPROF_LET(trace, Record(session, address, duration));
  std::string host = address.Text();
  std::ranges::replace(host, ':', '_');
  if (options.Has("--target-dir")) {
    MLPROF_TRY(SaveTrace(session, *trace.file, host, options.Text("--target-dir")));
  }
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(id, UploadTrace(session, client, *trace.file, "the trace of " + address.Text()));
  return ShowTool(session, client, id, tool, {});
}

}  // namespace

Command CaptureCommand() {
  return {"capture",
          "HOST:PORT",
          "take a device trace of a program that runs jax.profiler.start_server or TensorFlow's",
          1,
          1,
          {{{"--duration-ms"}, "N", "how long to record (default 1000, at most 600000)"},
           {{"--duration-seconds"}, "N", "the same in seconds"},
           {{"--target-dir", "-t"},
            "LOGDIR",
            "keep the trace in a log directory that XProf and TensorBoard open, or as this "
            "FILE.xplane.pb"},
           {{"--tool"}, "TOOL", "as of mlprof trace (default overview_page)"}},
          {"mlprof capture 127.0.0.1:9012",
           "mlprof capture tpu-host:9012 --duration-ms 5000 -t ./logs"},
          CaptureTrace};
}

}  // namespace mlprof::client::cli
