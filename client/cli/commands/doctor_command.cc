#include <utility>

#include "client/cli/command.h"
#include "client/cli/doctor/check.h"

namespace mlprof::client::cli {
namespace {

Result<int> Doctor(Session& session, const Options& options) {
  const std::string asked = options.Text("--runtime");
  if (options.Has("--runtime") && asked != "docker" && asked != "process") {
    return WrongUse("--runtime must be docker or process, not '" + asked + "'");
  }
  RuntimeReport report = CheckRuntime(asked, session.surroundings());
  const bool containers = report.runtime == "docker";
  std::vector<Finding> findings =
      containers ? CheckDocker(session.surroundings()) : std::move(report.findings);
  for (const auto& group : {CheckHost(session.surroundings(), containers), CheckServer(session)}) {
    findings.insert(findings.end(), group.begin(), group.end());
  }
  Table table{{"CHECK", "STATE", "FOUND", "MEND"}, {}};
  Json checks = Json::array();
  bool all_ok = true;
  for (const Finding& finding : findings) {
    all_ok = all_ok && finding.ok;
    table.rows.push_back(
        {finding.name, finding.ok ? "ok" : "missing", finding.found, finding.mend});
    Json check = {{"name", finding.name}, {"ok", finding.ok}, {"found", finding.found}};
    check["mend"] = finding.mend.empty() ? Json() : Json(finding.mend);
    checks.push_back(std::move(check));
  }
  session.Print({{"ok", all_ok}, {"checks", std::move(checks)}}, table);
  return all_ok ? kDone : kRefused;
}

}  // namespace

Command DoctorCommand() {
  return {"doctor",
          "",
          "say what is missing on this machine, and what mends it",
          0,
          0,
          {{{"--runtime"},
            "RUNTIME",
            "what models are to run on: docker or process (default: as the "
            "server is configured)"}},
          {"mlprof doctor", "mlprof doctor --runtime process", "mlprof doctor -o json"},
          Doctor};
}

}  // namespace mlprof::client::cli
