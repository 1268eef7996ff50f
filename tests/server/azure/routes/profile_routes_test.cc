#include <gmock/gmock.h>

#include "server/registry/content_guid.h"
#include "server/storage/statement.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/server/azure/azure_bench.h"
#include "tests/server/profiling/broken_storage.h"

namespace mlprof::server {
namespace {

using testing::HasSubstr;

class AzureProfiles : public AzureBench {
 protected:
  AzureProfiles() {
    PutArtifact("c1", "model.json", "{}");
    RegisterModel("m", "LocalUpload/c1/model.json");
    dataset_ = *datasets_.Register({"s/g/w", "requests", "", "text/plain"}, Upload("a\nb\n"), {});
    PutArtifact("d1", "tmpdriver.py", "import x");
    PutArtifact("e1", "src.tar.gz", TarBuilder().File("src/score.py", "pass").Build());
  }
  std::string Service(const std::string& rest) { return Workspace("/modelmanagement/v1.0") + rest; }
  Json Body(const std::string& name) {
    return {{"name", name},
            {"description", nullptr},
            {"inputDatasetId", ContentGuid(dataset_.sha256)},
            {"environmentImageRequest",
             {{"driverProgram", "tmpdriver.py"},
              {"assets",
               {{{"id", "tmpdriver.py"}, {"url", "aml://artifact/LocalUpload/d1/tmpdriver.py"}},
                {{"id", "src.tar.gz"},
                 {"url", "aml://artifact/LocalUpload/e1/src.tar.gz"},
                 {"unpack", true}}}},
              {"modelIds", {"m:1"}},
              {"environment",
               {{"name", "myenv"},
                {"environmentVariables",
                 {{"AZUREML_SOURCE_DIRECTORY", "src"},
                  {"AZUREML_ENTRY_SCRIPT", "src/score.py"},
                  {"A", "B"}}},
                {"python",
                 {{"condaDependencies",
                   {{"dependencies", {"python=3.8.13", {{"pip", {"numpy"}}}}}}}}}}}}}};
  }
  HttpResponse Create(const Json& body) {
    return Ask("POST", Service("/profiles"), DumpJson(body));
  }
  /// As many as there are profiles that wait, all of them in another workspace.
  void LetWait(int count) {
    const auto queued = database_->Write([&](Connection& connection) -> Status {
      MLPROF_TRY(connection.Execute("DELETE FROM profiles WHERE id LIKE 'waiting-%'"));
      return Statement(connection, R"sql(
               INSERT INTO profiles (id, workspace, name, state, dataset_id, created_unix_ms,
                                     document)
               WITH RECURSIVE numbers (n) AS
                 (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)
               SELECT 'waiting-' || n, 'default', 'waiting-' || n, 'Queued', 'd:1', 1, '{}'
               FROM numbers)sql")
          .Bind(":count", count)
          .Run();
    });
    ASSERT_TRUE(queued) << queued.error().message();
  }
  std::int64_t Count(const std::string& table) {
    return *database_->Read([&](Connection& connection) -> Result<std::int64_t> {
      Statement row(connection, ("SELECT count(*) FROM " + table).c_str());
      MLPROF_TRY(row.Step());
      return row.Int(0);
    });
  }
  std::size_t Trees() {
    const std::filesystem::directory_iterator trees(folder_ / "trees");
    return static_cast<std::size_t>(std::distance(begin(trees), end(trees)));
  }

  Dataset dataset_;
};

TEST_F(AzureProfiles, IsTheNativeProfileOfThatName) {
  const HttpResponse made = Create(Body("p"));
  ASSERT_EQ(made.status, 202) << TextOf(made);
  const auto profile = service_.Get("s/g/w", "p");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->request.model_ids, (std::vector<std::string>{"m:1"}));
  EXPECT_EQ(profile->request.input_dataset_id, "requests:1");
  const auto& script = std::get<EntryScriptConfig>(profile->request.inference_config->service);
  const auto source = sources_.Verified("s/g/w", script.source_id, {});
  ASSERT_TRUE(source) << source.error().message();
  EXPECT_EQ(Content(source->files / script.source_directory / script.entry_script), "pass");
  EXPECT_EQ(script.pip_packages, std::vector<std::string>{"numpy"});
  EXPECT_EQ(script.conda_packages, std::vector<std::string>{"python=3.8.13"});
  EXPECT_EQ(made.headers.Get("Operation-Location"),
            "https://127.0.0.1:8443" + Service("/operations/") + profile->id);
}

TEST_F(AzureProfiles, IsListedAtOnceAndWaitedFor) {
  const HttpResponse made = Create(Body("p"));
  const Json listed =
      JsonOf(Ask("GET", Service("/profiles?name=p&orderBy=CreatedAtDesc&count=1")))["value"];
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0]["state"], "NotStarted");
  EXPECT_EQ(listed[0]["inputDatasetId"], ContentGuid(dataset_.sha256));
  EXPECT_EQ(listed[0]["modelIds"], Json::array({"m:1"}));
  const std::string operation = *made.headers.Get("Operation-Location");
  const Json waited =
      JsonOf(Ask("GET", Service("/operations" + operation.substr(operation.rfind('/')))));
  EXPECT_EQ(waited["state"], "NotStarted");
  EXPECT_TRUE(waited["parentRequestId"].is_string());
}

TEST_F(AzureProfiles, WhatWasAskedIsShownAndNothingElse) {
  Json body = Body("p");
  body["containerResourceRequirements"] = {{"cpu", 1.5}, {"memoryInGB", 0.7}};
  EXPECT_EQ(JsonOf(Create(body))["containerResourceRequirements"],
            body["containerResourceRequirements"]);
  PutArtifact("e1", "src.tar.gz", TarBuilder().File("src/score.py", "pass").Build());
  EXPECT_EQ(JsonOf(Create(Body("q")))["containerResourceRequirements"], nullptr);
}

TEST_F(AzureProfiles, ANameUsedBeforeGetsAnotherRun) {
  ASSERT_EQ(Create(Body("p")).status, 202);
  const std::string first = service_.Get("s/g/w", "p")->id;
  PutArtifact("e2", "src.tar.gz", TarBuilder().File("src/score.py", "other").Build());
  Json body = Body("p");
  body["environmentImageRequest"]["assets"][1]["url"] = "aml://artifact/LocalUpload/e2/src.tar.gz";
  ASSERT_EQ(Create(body).status, 202);
  const Json listed = JsonOf(Ask("GET", Service("/profiles?name=p&count=1")))["value"];
  EXPECT_NE(listed[0]["id"], first);
  EXPECT_EQ(JsonOf(Ask("GET", Service("/profiles?name=p")))["value"].size(), 2u);
}

TEST_F(AzureProfiles, AskedAgainByAClientThatGotNoResponseItIsTheSameOne) {
  const HttpResponse first = Create(Body("p"));
  const HttpResponse again = Create(Body("p"));
  EXPECT_EQ(again.status, 202) << TextOf(again);
  EXPECT_EQ(again.headers.Get("Operation-Location"), first.headers.Get("Operation-Location"));
  EXPECT_EQ(JsonOf(Ask("GET", Service("/profiles?name=p")))["value"].size(), 1u);
}

TEST_F(AzureProfiles, WithoutAnEnvironmentTheDriverNamesTheScript) {
  PutArtifact("d2", "tmpdriver.py",
              "import sys\n"
              "sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), 'src'))\n"
              "script_location = os.path.join(os.path.dirname(os.path.realpath(__file__)), "
              "'src/score.py')\n");
  Json body = Body("p");
  body["environmentImageRequest"].erase("environment");
  const HttpResponse refused = Create(body);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(TextOf(refused), HasSubstr("give the InferenceConfig an Environment"));
  body["environmentImageRequest"]["assets"][0]["url"] =
      "aml://artifact/LocalUpload/d2/tmpdriver.py";
  const HttpResponse made = Create(body);
  ASSERT_EQ(made.status, 202) << TextOf(made);
  const auto profile = service_.Get("s/g/w", "p");
  const auto& script = std::get<EntryScriptConfig>(profile->request.inference_config->service);
  EXPECT_EQ(script.source_directory, "src");
  EXPECT_EQ(script.entry_script, "score.py");
}

TEST_F(AzureProfiles, TheSourceIsTakenOverFromTheArtifacts) {
  ASSERT_EQ(Create(Body("p")).status, 202);
  const Page<Blob> left = *blobs_.List({"s/g/w", "azureml", ""}, {});
  EXPECT_EQ(left.value.size(), 0u);
}

TEST_F(AzureProfiles, AnUnknownOneIs404WithTheStatusInTheBody) {
  for (const char* target :
       {"/profiles?name=none&orderBy=CreatedAtDesc&count=1", "/operations/none"}) {
    const HttpResponse missing = Ask("GET", Service(target));
    EXPECT_EQ(missing.status, 404) << target;
    EXPECT_EQ(JsonOf(missing)["statusCode"], 404) << target;
  }
  EXPECT_EQ(Ask("GET", Workspace("/modelmanagement/v1.0", "v") + "/profiles?name=p").status, 404);
}

TEST_F(AzureProfiles, UnknownIdsAreNamedAndNothingIsTaken) {
  Json body = Body("p");
  body["inputDatasetId"] = "00000000-0000-0000-0000-000000000000";
  body["environmentImageRequest"]["modelIds"] = {"none:1"};
  const HttpResponse refused = Create(body);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(TextOf(refused), HasSubstr("none:1"));
  EXPECT_THAT(TextOf(refused), HasSubstr("00000000-0000"));
  EXPECT_EQ(blobs_.List({"s/g/w", "azureml", ""}, {})->value.size(), 2u);
}

TEST_F(AzureProfiles, FilesThatWereNotPutUpAreNamed) {
  Json body = Body("p");
  body["environmentImageRequest"]["assets"][1]["url"] = "aml://artifact/LocalUpload/none/x.tar.gz";
  const HttpResponse refused = Create(body);
  EXPECT_EQ(refused.status, 404);
  EXPECT_THAT(TextOf(refused), HasSubstr("LocalUpload/none/x.tar.gz"));
}

TEST_F(AzureProfiles, AFullQueueStillAcceptsUpToTenTimesTheNativeBound) {
  LetWait(9'999);
  EXPECT_EQ(Create(Body("p")).status, 202);
}

TEST_F(AzureProfiles, BeyondItsBoundTheQueueAsksToComeAgainAndLeavesNothing) {
  LetWait(10'000);
  const std::size_t trees = Trees();
  const std::size_t files = FilesUnder("content");
  const HttpResponse refused = Create(Body("p"));
  EXPECT_EQ(refused.status, 503) << TextOf(refused);
  EXPECT_EQ(refused.headers.Get("Retry-After"), "10");
  EXPECT_THAT(TextOf(refused), HasSubstr("the queue holds 10000 profiles"));
  EXPECT_EQ(JsonOf(refused)["statusCode"], 503);
  EXPECT_EQ(Count("profiles"), 10'000);
  EXPECT_EQ(Count("sources"), 0);
  EXPECT_EQ(Trees(), trees);
  EXPECT_EQ(FilesUnder("content"), files);
  EXPECT_EQ(FilesUnder("incoming"), 0u);
  // What was put up stays for the client that comes again.
  LetWait(1);
  EXPECT_EQ(Create(Body("p")).status, 202);
}

TEST_F(AzureProfiles, OneThatCannotBeStoredLeavesNoSource) {
  const std::size_t trees = Trees();
  const std::size_t files = FilesUnder("content");
  BrokenStorage storage(folder_ / "mlprof.db");
  storage.Break("INSERT ON profiles");
  EXPECT_EQ(Create(Body("p")).status, 500);
  EXPECT_EQ(Count("sources"), 0);
  EXPECT_EQ(Trees(), trees);
  EXPECT_EQ(FilesUnder("content"), files);
  EXPECT_EQ(FilesUnder("incoming"), 0u);
  storage.Mend();
  EXPECT_EQ(Create(Body("p")).status, 202);
  EXPECT_EQ(Count("sources"), 1);
}

TEST_F(AzureProfiles, OneThatCannotBeStoredKeepsASourceOfBefore) {
  ASSERT_EQ(Create(Body("p")).status, 202);
  PutArtifact("d1", "tmpdriver.py", "import x");
  PutArtifact("e1", "src.tar.gz", TarBuilder().File("src/score.py", "pass").Build());
  BrokenStorage storage(folder_ / "mlprof.db");
  storage.Break("INSERT ON profiles");
  EXPECT_EQ(Create(Body("q")).status, 500);
  EXPECT_EQ(Count("sources"), 1);
}

TEST_F(AzureProfiles, BadRequestsAreRefused) {
  for (const char* bad : {"{", "[]", "{}", R"({"name": "p"})"}) {
    EXPECT_EQ(Ask("POST", Service("/profiles"), bad).status, 400) << bad;
  }
}

}  // namespace
}  // namespace mlprof::server
