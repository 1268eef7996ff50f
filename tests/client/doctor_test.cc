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
