#include "client/cli/azure/azure_variables.h"
#include "client/cli/azure/sdk_files.h"
#include "client/cli/text_file.h"
#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

std::string Pem(const std::string& body) {
  return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
}

TEST(AzureVariablesTest, QuotesForTheShell) {
  EXPECT_EQ(ShellQuoted("a'b $(c)"), "'a'\\''b $(c)'");
  EXPECT_EQ(ExportLines({{"A", "x y"}, {"B", ""}}), "export A='x y'\nexport B=''\n");
}

TEST(AzureVariablesTest, CarriesTheTokenInTheAddressOfLogins) {
  const Variables with = AzureVariables("https://h:8443/", "a/b", "/ca.pem");
  EXPECT_EQ(with[2], std::make_pair(std::string("MSI_ENDPOINT"),
                                    std::string("https://x:a%2Fb@h:8443/msi/token")));
  EXPECT_EQ(with[0].second, "https://h:8443/metadata/endpoints");
  EXPECT_EQ(AzureVariables("https://h:8443", "", "/ca.pem")[2].second, "https://h:8443/msi/token");
}

TEST(CaBundleTest, TakesCertificatesAndNothingElse) {
  const std::string key = "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n";
  EXPECT_EQ(CertificatesIn("# a comment\n" + Pem("one") + key + Pem("two")),
            Pem("one") + Pem("two"));
  EXPECT_EQ(CertificatesIn("-----BEGIN CERTIFICATE-----\ncut"), "");
}

TEST(CaBundleTest, GivesThePublicPartBack) {
  EXPECT_EQ(PublicPart(BundleText(Pem("public"), Pem("own"))), Pem("public"));
  EXPECT_EQ(PublicPart(Pem("public")), Pem("public"));
}

class AzureEnvTest : public CliTest {
 protected:
  AzureEnvTest() {
    environment_["MLPROF_SERVER"] = "http://127.0.0.1:8080";
    environment_["SSL_CERT_FILE"] = folder_.Write("public.pem", Pem("public")).string();
    Speaks({{"url", "https://127.0.0.1:8443"}, {"caCertificate", Pem("own")}});
    tls_server_->On("GET /metadata/endpoints", 200, R"([{"name":"AzureCloud"}])");
  }
  void Speaks(const Json& tls) {
    Json version = {{"name", "mlprof"}, {"version", "1"}};
    if (!tls.is_null()) version["tls"] = tls;
    server_->On("GET /version", 200, Text(version));
  }
  std::filesystem::path Bundle() const {
    return folder_.path() / ".cache/mlprof/azure-env/127.0.0.1_8443.pem";
  }
};

TEST_F(AzureEnvTest, PrintsTheExportsAndNothingElse) {
  const Outcome outcome = Run({"azure-env"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            "export ARM_CLOUD_METADATA_URL='https://127.0.0.1:8443/metadata/endpoints'\n"
            "export AZUREML_CURRENT_CLOUD='AzureCloud'\n"
            "export MSI_ENDPOINT='https://127.0.0.1:8443/msi/token'\n"
            "export REQUESTS_CA_BUNDLE='" +
                Bundle().string() +
                "'\n"
                "export SSL_CERT_FILE='" +
                Bundle().string() + "'\n");
}

TEST_F(AzureEnvTest, PutsTheServersCaBehindThePublicOnes) {
  EXPECT_EQ(Run({"azure-env"}).status, 0);
  EXPECT_EQ(ReadTextFile(Bundle()).value(), BundleText(Pem("public"), Pem("own")));
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(Bundle()).permissions(),
            perms::owner_read | perms::owner_write | perms::group_read | perms::others_read);
}

TEST_F(AzureEnvTest, FindsThePublicOnesAgainInASecondRun) {
  EXPECT_EQ(Run({"azure-env"}).status, 0);
  environment_["SSL_CERT_FILE"] = Bundle().string();
  environment_["REQUESTS_CA_BUNDLE"] = Bundle().string();
  Speaks({{"url", "https://127.0.0.1:8443"}, {"caCertificate", Pem("renewed")}});
  EXPECT_EQ(Run({"azure-env"}).status, 0);
  EXPECT_EQ(ReadTextFile(Bundle()).value(), BundleText(Pem("public"), Pem("renewed")));
}

TEST_F(AzureEnvTest, AsksTheServerAsTheSdkWould) {
  EXPECT_EQ(Run({"azure-env"}).status, 0);
  EXPECT_EQ(connected_to_, "https://127.0.0.1:8443");
  EXPECT_EQ(ca_file_, Bundle().string());
  tls_server_->On("GET /metadata/endpoints", 501, R"({"detail":"not yet"})");
  const Outcome refused = Run({"azure-env"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.out, "");
  tls_server_->GoAway();
  const Outcome away = Run({"azure-env"});
  EXPECT_EQ(away.status, 4);
  EXPECT_EQ(away.out, "");
  EXPECT_NE(away.err.find("https://127.0.0.1:8443 cannot be used"), std::string::npos) << away.err;
}

TEST_F(AzureEnvTest, SaysHowToStartAServerThatSpeaksTls) {
  Speaks(nullptr);
  const Outcome plain = Run({"azure-env"});
  EXPECT_EQ(plain.status, 2);
  EXPECT_NE(plain.err.find("mlprof-server --tls-listen 127.0.0.1:8443"), std::string::npos);
  environment_.erase("MLPROF_SERVER");
  const Outcome alone = Run({"azure-env"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_NE(alone.err.find("needs a server that goes on"), std::string::npos);
}

TEST_F(AzureEnvTest, RefusesACaThatIsNone) {
  Speaks({{"url", "https://127.0.0.1:8443"}, {"caCertificate", "nonsense"}});
  EXPECT_EQ(Run({"azure-env"}).status, 1);
  Speaks({{"url", "ftp://x"}, {"caCertificate", Pem("own")}});
  EXPECT_EQ(Run({"azure-env"}).status, 1);
}

TEST_F(AzureEnvTest, PassesTheTokenOn) {
  environment_["MLPROF_TOKEN"] = "secret";
  EXPECT_NE(Run({"azure-env"}).out.find("'https://x:secret@127.0.0.1:8443/msi/token'"),
            std::string::npos);
}

TEST_F(AzureEnvTest, ShowsTheConfigOfAWorkspaceAndMakesItKnown) {
  const std::string path =
      "/subscriptions/default/resourceGroups/g/providers/Microsoft.MachineLearningServices/"
      "workspaces/w";
  const Outcome refused = Run({"azure-env", "--resource-group", "g", "--workspace", "w"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.out, "");
  server_->On("PUT " + path, 400, R"({"error":{"code":"UserError","message":"no such name"}})");
  EXPECT_EQ(Run({"azure-env", "--resource-group", "g", "--workspace", "w"}).err,
            "mlprof: no such name\n");
  server_->On("PUT " + path, 200, "{}");
  const Outcome outcome = Run({"azure-env", "--resource-group", "g", "--workspace", "w"});
  EXPECT_NE(
      outcome.out.find("\n# config.json for Workspace.from_config(): {\"resource_group\":\"g\","
                       "\"subscription_id\":\"default\",\"workspace_name\":\"w\"}\n"),
      std::string::npos)
      << outcome.out;
  EXPECT_EQ(Run({"azure-env", "--workspace", "w"}).status, 2);
  EXPECT_EQ(Run({"azure-env", "--subscription", "s"}).status, 2);
}

TEST_F(AzureEnvTest, WarnsOfResponsesOfAnotherServer) {
  const auto clouds = folder_.Write(".azure/cloudEndpoints.json", "https://127.0.0.1:9999/");
  folder_.Write(".azureml/.discovery", "https://127.0.0.1:8443");
  const Outcome outcome = Run({"azure-env"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("rm '" + clouds.string() + "'"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(".discovery"), std::string::npos);
  environment_["AZURE_CONFIG_DIR"] = "/nosuch";
  EXPECT_EQ(Run({"azure-env"}).err, "");
}

TEST_F(AzureEnvTest, WarnsOfACaThatCameUnprotected) {
  environment_["MLPROF_SERVER"] = "http://far.example:8080";
  EXPECT_NE(Run({"azure-env"}).err.find("plain HTTP"), std::string::npos);
  environment_["MLPROF_SERVER"] = "http://127.0.0.1:8080";
  EXPECT_EQ(Run({"azure-env"}).err, "");
}

TEST_F(AzureEnvTest, PrintsTheSameAsJson) {
  const Json json = ParseJson(Run({"azure-env", "-o", "json"}).out).value();
  EXPECT_EQ(json.at("environmentVariables").at("AZUREML_CURRENT_CLOUD"), "AzureCloud");
  EXPECT_TRUE(json.at("config").is_null());
}

}  // namespace
}  // namespace mlprof::client::cli
