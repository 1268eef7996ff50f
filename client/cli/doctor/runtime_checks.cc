#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "client/cli/doctor/check.h"
#include "client/src/json_fields.h"
#include "common/json/json.h"
#include "common/time/deadline.h"

namespace mlprof::client::cli {
namespace {

constexpr std::chrono::seconds kRuntimeWait{40};  // two trials of ten seconds, and their ends
constexpr std::size_t kMostReport = 64 << 10;

// What the program writes to its stdout until it ends, or the deadline.
std::string ReadAllOf(int from, const Deadline& deadline) {
  std::string text;
  std::array<char, 4096> piece{};
  while (!deadline.Passed() && text.size() < kMostReport) {
    pollfd ready{from, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(deadline.LeftMs().count())) <= 0) continue;
    const ssize_t count = read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
}

Result<std::string> OutputOf(const std::vector<std::string>& command, const Deadline& deadline) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Fail(FromErrno(errno, "pipe"));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  if (failed == 0) text = ReadAllOf(ends[0], deadline);
  close(ends[0]);
  if (failed != 0) return Fail(FromErrno(failed, "cannot start " + command[0]));
  kill(pid, SIGKILL);  // it has closed its stdout, or took too long
  waitpid(pid, nullptr, 0);
  return text;
}

std::optional<RuntimeReport> ParseReport(const std::string& text) {
  const auto json = ParseJson(text);
  if (!json || !json->is_object()) return std::nullopt;
  RuntimeReport report{TextField(*json, "runtime"), {}};
  const auto checks = json->find("checks");
  if (report.runtime.empty() || checks == json->end() || !checks->is_array()) return std::nullopt;
  for (const Json& check : *checks) {
    const auto ok = check.find("ok");
    report.findings.push_back({TextField(check, "name"),
                               ok != check.end() && ok->is_boolean() && ok->get<bool>(),
                               TextField(check, "found"), TextField(check, "mend")});
  }
  return report;
}

}  // namespace

RuntimeReport CheckRuntime(const std::string& runtime, const Surroundings& surroundings) {
  if (runtime == "docker") return {runtime, {}};
  const std::filesystem::path program = FindProgram("mlprof-server", surroundings);
  std::string why = "mlprof-server, which tries it, is neither beside mlprof nor on PATH";
  if (!program.empty()) {
    std::vector<std::string> command = {program.string(), "--check-runtime"};
    if (!runtime.empty()) command.insert(command.end(), {"--runtime", runtime});
    const auto text = OutputOf(command, Deadline::After(kRuntimeWait));
    auto report = text ? ParseReport(*text) : std::nullopt;
    if (report) return std::move(*report);
    why = text ? "mlprof-server --check-runtime says nothing that can be read"
               : text.error().message();
  }
  if (runtime.empty()) return {"docker", {}};
  return {runtime, {{"process runtime", false, why, "install mlprof-server of the same version"}}};
}

}  // namespace mlprof::client::cli
