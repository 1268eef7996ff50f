#include <thread>

#include "tests/client/cli_fixture.h"
#include "tests/common/http/scripted_server.h"

namespace mlprof::client::cli {
namespace {

TEST_F(CliTest, DoctorNamesWhatIsMissingAndWhatMendsIt) {
  environment_["DOCKER_HOST"] = "unix://" + (folder_.path() / "no.sock").string();
  server_->On("GET /healthz", 200, "{}");
  server_->On("GET /readyz", 503, R"({"detail":"the disk is full"})");
  const Outcome outcome = Run({"doctor", "-o", "json"});
  EXPECT_EQ(outcome.status, 1);
  const Json json = ParseJson(outcome.out).value();
  EXPECT_EQ(json.at("ok"), false);
  std::map<std::string, Json> checks;
  for (const Json& check : json.at("checks")) checks[check.at("name").get<std::string>()] = check;
  EXPECT_EQ(checks.at("docker").at("ok"), false);
  EXPECT_NE(checks.at("docker").at("mend").get<std::string>().find("docker.io"), std::string::npos);
  EXPECT_EQ(checks.at("mlprof-agent").at("ok"), false);
  // Which of the two it is depends on who asks, and where.
  const std::string scratch = checks.at("scratch").at("found").get<std::string>();
  const bool own = scratch.starts_with("a file system of its own");
  EXPECT_TRUE(own || scratch.starts_with("watched only, because")) << scratch;
  EXPECT_EQ(checks.at("scratch").at("mend").is_null(), own);
  // However busy they are.
  EXPECT_EQ(checks.at("cores").at("ok"), std::thread::hardware_concurrency() >= 2);
  EXPECT_EQ(checks.at("server").at("found"), "http://fake is not ready: the disk is full");
}

// A program that says of its runtime what the test lets it say, as mlprof-server does.
void WriteServer(const std::filesystem::path& folder, const std::string& configured) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mlprof-server")
      << "#!/bin/sh\n[ \"$1\" = --check-runtime ] || exit 2\n"
         "case \"$2 $3\" in '--runtime process') r=process;; *) r="
      << configured
      << ";; esac\n"
         R"(echo '{"runtime":"'$r'","checks":[{"name":"limits","ok":false,"found":"memory )"
         R"(cannot be limited","mend":"be root"}]}')"
         "\n";
  std::filesystem::permissions(folder / "mlprof-server", std::filesystem::perms::owner_all);
}

std::map<std::string, Json> ChecksIn(const std::string& out) {
  std::map<std::string, Json> checks;
  const Json json = ParseJson(out).value();
  for (const Json& check : json.at("checks")) checks[check.at("name").get<std::string>()] = check;
  return checks;
}

TEST_F(CliTest, DoctorChecksTheProcessRuntimeInPlaceOfDocker) {
  WriteServer(folder_.path() / "bin", "docker");
  const Outcome outcome = Run({"doctor", "--runtime", "process", "-o", "json"});
  EXPECT_EQ(outcome.status, 1);
  auto checks = ChecksIn(outcome.out);
  EXPECT_FALSE(checks.contains("docker"));
  EXPECT_FALSE(checks.contains("scratch")) << "which only containers have";
  EXPECT_EQ(checks.at("limits").at("found"), "memory cannot be limited");
  EXPECT_EQ(checks.at("limits").at("mend"), "be root");
}

TEST_F(CliTest, DoctorChecksWhatThePrivateServerIsConfiguredWith) {
  WriteServer(folder_.path() / "bin", "process");
  EXPECT_FALSE(ChecksIn(Run({"doctor", "-o", "json"}).out).contains("docker"));
  EXPECT_TRUE(
      ChecksIn(Run({"doctor", "--runtime", "docker", "-o", "json"}).out).contains("docker"));
}

TEST_F(CliTest, DoctorPointsToTheProcessRuntimeWhereDockerIsMissing) {
  environment_["DOCKER_HOST"] = "unix://" + (folder_.path() / "no.sock").string();
  const auto checks = ChecksIn(Run({"doctor", "-o", "json"}).out);
  EXPECT_NE(checks.at("docker").at("mend").get<std::string>().find("--runtime process"),
            std::string::npos);
  EXPECT_EQ(Run({"doctor", "--runtime", "gvisor"}).status, 2);
  EXPECT_FALSE(ChecksIn(Run({"doctor", "--runtime", "process", "-o", "json"}).out)
                   .at("process runtime")
                   .at("ok")
                   .get<bool>())
      << "without a server to try it";
}

TEST_F(CliTest, DoctorSaysHowAnEngineRespondsThatIsNotWell) {
  ScriptedServer engine({"\r\n\r\n", "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno"});
  environment_["DOCKER_HOST"] = "unix://" + std::get<UnixEndpoint>(engine.endpoint()).path;
  const Json json = ParseJson(Run({"doctor", "-o", "json"}).out).value();
  for (const Json& check : json.at("checks")) {
    if (check.at("name") != "docker") continue;
    EXPECT_EQ(check.at("found"), "the engine answers 500");
  }
  EXPECT_EQ(engine.Request().substr(0, 20), "GET /_ping HTTP/1.1\r");
}

}  // namespace
}  // namespace mlprof::client::cli
