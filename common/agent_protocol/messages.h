// What controller and agent say to each other, as values. The frames are specified in
// api/agent-protocol.md and coded in frame.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/sample.h"

namespace mlprof::agent_protocol {

/// Counts up with every change of a frame; an agent of another version is refused.
inline constexpr int kVersion = 10;

/// agent → controller, first frame.
struct Hello {
  int version = kVersion;
  std::string agent_version;
  std::int64_t pid = 0;  // inside its own namespace
  int cgroup_version = 0;
};

/// controller → agent, behind Hello: what does the agent's clock say?
struct ClockProbe {
  std::uint32_t number = 0;
};

/// agent → controller, at once.
struct ClockReading {
  std::uint32_t number = 0;        // of the probe
  std::chrono::nanoseconds at{0};  // CLOCK_MONOTONIC of the agent's machine
};

/// controller → agent, once: start the model's command and how to talk to it.
struct Start {
  std::vector<std::string> command;  // argv; [0] is looked up in PATH of `environment`
  std::map<std::string, std::string> environment;  // complete
  std::string working_directory;                   // "" is /
  std::string user;          // the image's USER ("", "name", "uid", "name:group", "uid:gid")
  bool run_as_root = false;  // keep uid 0 with CHOWN, SETUID, SETGID where the container has them
  std::string stop_signal;   // "SIGTERM", "15"; "" is SIGTERM

  int port = 0;
  std::string method = "POST";
  std::string path = "/score";
  std::map<std::string, std::string> headers;  // sent with every row, Content-Type among them
  std::string readiness_path;                  // "": any HTTP response at / counts
  std::chrono::milliseconds start_timeout{300'000};
  std::chrono::milliseconds request_timeout{60'000};
  std::chrono::microseconds sample_interval{10'000};
  /// Folders whose clean file pages are dropped from the page cache before the command starts, each
  /// on its own file system: the first container would pay for what later ones get free.
  std::vector<std::string> drop_cache;
  /// Tell the writes that a read-only file system refused (kWriteRefused). What the model does
  /// takes longer then: nothing is measured.
  bool watch_writes = false;
};

/// agent → controller: the model answers. Counted from the model's execve.
struct Ready {
  std::chrono::nanoseconds took{0};
  std::chrono::nanoseconds cpu_time{0};
  Bytes peak_unreclaimable;  // until now, gap-free, without the agent's own
  int processes = 0;
  int threads = 0;                          // of all processes together
  std::vector<std::string> thread_pools{};  // pool runtimes mapped: "libgomp", "libopenblas"…
  Bytes address_space{};  // mapped or reserved, touched or not: the largest of any process
};

/// controller → agent: over which connections the rows behind it go; kept alive until it is said.
struct Connections {
  enum class Policy : std::uint8_t {
    kKeptAlive,    // as many as rows are in flight, the one that was used last first
    kOneARequest,  // a new one for each, closed behind its response
    kManyHeld,     // `held` of them, opened at once; the rows take them in turn
  } policy = Policy::kKeptAlive;
  int held = 0;  // kManyHeld: 1 to kMaxConnections, and no more rows are in flight; else 0

  bool operator==(const Connections&) const = default;
};

/// controller → agent: which processes of the model are there?
struct CensusQuestion {
  std::uint32_t number = 0;
};

/// Whether a process holds a socket that listens on the rows' port, as it may have from its parent
/// without ever accepting on it.
enum class Listens : std::uint8_t {
  kNo = 0,
  kYes,
  kUnknown,  // its descriptors cannot be read
};

struct ModelProcess {
  std::int64_t pid = 0;                  // inside the agent's namespace
  std::int64_t parent = 0;               // likewise; the agent's own where it inherited the process
  std::chrono::nanoseconds started{0};   // tells two processes of one id apart, nothing else
  std::chrono::nanoseconds cpu_time{0};  // of all its threads, those that have ended among them
  Bytes resident;
  std::optional<Bytes> private_memory;  // that it shares with no other and cannot be dropped
  Listens listens = Listens::kNo;
  std::uint64_t program = 0;  // a hash of its command line: the same for workers of one kind

  bool operator==(const ModelProcess&) const = default;
};

/// agent → controller: the answer.
struct Processes {
  std::uint32_t number = 0;               // of the question
  std::chrono::nanoseconds at{0};         // CLOCK_MONOTONIC when CPU times were read
  std::vector<ModelProcess> processes{};  // at most kMaxProcesses; those that listen come first
  bool more = false;                      // there are others
};

/// controller → agent: one row.
struct Row {
  std::uint64_t id = 0;
  bool attribute = false;  // measure this row's CPU time and memory; nothing else in flight
  std::string body;
  /// It leaves no earlier: a row that is sent ahead is as late as the agent's own clock makes it.
  std::chrono::nanoseconds due{0};  // CLOCK_MONOTONIC
  /// It leaves once fewer rows than this are with the model, and its clock begins then. 0: it does
  /// not wait for others.
  std::uint32_t most_in_flight = 0;
};

/// Why a row has no HTTP response.
enum class RowFailure : std::uint8_t {
  kNone = 0,
  kConnect,  // nothing listens any more
  kReset,    // the connection broke before the response was complete
  kTimeout,
  kMalformed,  // not HTTP/1.x, headers too large, bad chunk…
  kUnasked,    // bytes arrived before the row was written
  kTooLarge,   // the response passed the limit
};
std::string_view Name(RowFailure failure);

/// agent → controller: the row's response. Times count from the row's frame having been read.
struct Response {
  std::uint64_t id = 0;
  RowFailure failure = RowFailure::kNone;
  int http_status = 0;                  // 0 where there was none
  std::chrono::nanoseconds read_at{0};  // CLOCK_MONOTONIC when the row's frame had been read
  std::chrono::nanoseconds sent{0};     // request written
  std::chrono::nanoseconds first_byte{0};
  std::chrono::nanoseconds last_byte{0};
  std::optional<std::chrono::nanoseconds>
      cpu_time;  // attributed; absent if not asked or not settled
  /// Attributed: the largest rise of any one process's resident memory over its level before the
  /// row, from the kernel's high-water mark, without pages of files that it has gained since.
  /// Absent where not asked or not readable.
  std::optional<Bytes> peak_rise;
  std::uint64_t body_bytes = 0;
  std::string excerpt;  // first 2 KiB of the body when the status is not 2xx

  bool Succeeded() const {
    return failure == RowFailure::kNone && http_status >= 200 && http_status < 300;
  }
};

/// agent → controller: something happened to the model's processes.
struct ProcessEvent {
  enum class Kind : std::uint8_t {
    kStarted,       // execve succeeded
    kStartFailed,   // `detail` says why (no such file, not executable, unknown user…)
    kExited,        // the command itself ended: exit_code or signal; `detail` is its name
    kChildDied,     // a process below it was killed by a signal or replaced; likewise
    kOomKill,       // the cgroup's oom_kill counter rose to `oom_kills`: whoever died of it is told
                    // behind this
    kNotReady,      // start_timeout passed; `detail` says what was tried
    kWriteRefused,  // before the end that it may explain: to `detail`, which needs `folder`; the
                    // likeliest comes last
    kToldToEnd,     // process 1 was sent `signal` from outside its container, by an engine that
                    // stops or by hand: the model gets it too, and what it does then says nothing
  } kind = Kind::kStarted;
  std::int64_t pid = 0;
  int exit_code = 0;
  int signal = 0;
  std::int64_t oom_kills = 0;
  std::string detail;
  std::string folder;  // see RefusedWrite
};
std::string_view Name(ProcessEvent::Kind kind);

/// controller → agent: end the model (its stop signal, then SIGKILL after `grace`), then exit.
struct Stop {
  std::chrono::milliseconds grace{0};
};

}  // namespace mlprof::agent_protocol
