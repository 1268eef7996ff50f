#include <gmock/gmock.h>

#include "tests/common/tar/tar_builder.h"
#include "tests/server/azure/azure_bench.h"
#include "tests/server/profiling/broken_storage.h"

namespace mlprof::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AzureModels : public AzureBench {
 protected:
  AzureModels() {
    PutArtifact("c1", "mdir/a.txt", "A");
    PutArtifact("c1", "mdir/sub/b c.txt", "BC");
  }
  std::string Models(const std::string& rest = "") {
    return Workspace("/modelmanagement/v1.0") + "/models" + rest;
  }
  std::vector<std::string> Listed(const std::string& query) {
    std::vector<std::string> ids;
    const Json models = JsonOf(Ask("GET", Models("?" + query)));
    for (const Json& model : models["value"]) ids.push_back(model["id"].get<std::string>());
    return ids;
  }
};

TEST_F(AzureModels, IsTheNativeModelOfThatName) {
  const Json made = RegisterModel("m", "LocalUpload/c1/mdir",
                                  {{"kvTags", {{"area", "digits"}}}, {"description", "d"}});
  EXPECT_EQ(made["id"], "m:1");
  const auto model = models_.Get("s/g/w", "m:1");
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->description, "d");
  EXPECT_EQ(model->tags.at("area"), "digits");
  EXPECT_EQ(Content(*models_.Files(*model) / "mdir/a.txt"), "A");
  // Its files are kept once, by the registry.
  EXPECT_EQ(FilesUnder("content"), 1u);
}

TEST_F(AzureModels, AskedAgainByAClientThatGotNoResponseItIsTheSameOne) {
  const Json asset =
      JsonOf(Ask("POST", Workspace("/modelmanagement/v1.0") + "/assets",
                 DumpJson({{"name", "m"}, {"artifacts", {{{"prefix", "LocalUpload/c1/mdir"}}}}})));
  const std::string body =
      DumpJson({{"name", "m"}, {"url", "aml://asset/" + asset.value("id", "")}});
  EXPECT_EQ(JsonOf(Ask("POST", Models(), body))["id"], "m:1");
  EXPECT_EQ(JsonOf(Ask("POST", Models(), body))["id"], "m:1");
  EXPECT_EQ(models_.List("s/g/w", {}, {})->value.size(), 1u);
}

TEST_F(AzureModels, OneThatCannotBeStoredLeavesNothingButWhatWasPutUp) {
  const std::size_t files = FilesUnder("content");
  const Json asset =
      JsonOf(Ask("POST", Workspace("/modelmanagement/v1.0") + "/assets",
                 DumpJson({{"name", "m"}, {"artifacts", {{{"prefix", "LocalUpload/c1/mdir"}}}}})));
  const std::string body =
      DumpJson({{"name", "m"}, {"url", "aml://asset/" + asset.value("id", "")}});
  BrokenStorage storage(folder_ / "mlprof.db");
  storage.Break("INSERT ON models");
  EXPECT_EQ(Ask("POST", Models(), body).status, 500);
  EXPECT_EQ(FilesUnder("content"), files);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "trees"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "incoming"));
  storage.Mend();
  EXPECT_EQ(JsonOf(Ask("POST", Models(), body))["id"], "m:1");
}

// The blob that was put up is the model's own file: no tree belongs to it.
TEST_F(AzureModels, AnArchiveThatCannotBeRegisteredLeavesItsBlobAlone) {
  PutArtifact("c2", "m.tar", TarBuilder().File("weights", "W").Build());
  const std::size_t files = FilesUnder("content");
  BrokenStorage storage(folder_ / "mlprof.db");
  storage.Break("INSERT ON models");
  const Json asset =
      JsonOf(Ask("POST", Workspace("/modelmanagement/v1.0") + "/assets",
                 DumpJson({{"name", "m"}, {"artifacts", {{{"prefix", "LocalUpload/c2/m.tar"}}}}})));
  const std::string body =
      DumpJson({{"name", "m"}, {"url", "aml://asset/" + asset.value("id", "")}, {"unpack", true}});
  EXPECT_EQ(Ask("POST", Models(), body).status, 500);
  EXPECT_EQ(FilesUnder("content"), files);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "trees"));
  storage.Mend();
  EXPECT_EQ(Ask("POST", Models(), body).status, 200);
}

TEST_F(AzureModels, ANativeModelIsSeenByTheClient) {
  NewModel native;
  native.workspace = "s/g/w";
  native.name = "n";
  native.tags = {{"a", "1"}};
  ASSERT_TRUE(models_.Register(native, Upload(TarBuilder().File("weights", "W").Build()), {}));
  EXPECT_EQ(JsonOf(Ask("GET", Models("/n%3A1")))["kvTags"]["a"], "1");
  EXPECT_THAT(Listed("name=n&count=1"), ElementsAre("n:1"));
  EXPECT_EQ(Ask("GET", Workspace("/modelmanagement/v1.0", "v") + "/models/n%3A1").status, 404);
}

TEST_F(AzureModels, IsDownloadedFileByFile) {
  const Json made = RegisterModel("m", "LocalUpload/c1/mdir");
  const std::string asset = made["url"].get<std::string>().substr(12);
  const Json artifacts =
      JsonOf(Ask("GET", Workspace("/modelmanagement/v1.0") + "/assets/" + PercentEncode(asset)));
  ASSERT_EQ(artifacts["artifacts"].size(), 1u);
  const std::string prefix = artifacts["artifacts"][0]["prefix"].get<std::string>();
  EXPECT_EQ(prefix, "Model/m:1/mdir");
  const Json contents =
      JsonOf(Ask("GET", Workspace("/artifact/v2.0") + "/artifacts/prefix/contentinfo/" + prefix));
  ASSERT_EQ(contents["value"].size(), 2u);
  EXPECT_EQ(contents["value"][1]["path"], "mdir/sub/b c.txt");
  const std::string address = contents["value"][1]["contentUri"].get<std::string>();
  const std::string target = address.substr(address.find("/azureml/"));
  const HttpResponse file = AskFrom("192.0.2.7", "GET", target, "", {});
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(TextOf(file), "BC");
  EXPECT_EQ(AskFrom("192.0.2.7", "PUT", target, "x", {}).status, 401);
}

TEST_F(AzureModels, AMissingOneIsToldAsTheClientKnowsIt) {
  const HttpResponse missing = Ask("GET", Models("/none%3A1"));
  EXPECT_EQ(missing.status, 404);
  const Json json = JsonOf(missing);
  EXPECT_EQ(json["statusCode"], 404);
  EXPECT_EQ(json["code"], "ModelNotFound");
  EXPECT_TRUE(json["error"].is_object());
  EXPECT_EQ(Listed("name=none&count=1").size(), 0u);
}

TEST_F(AzureModels, ListsFilterAndPage) {
  PutArtifact("c2", "x", "X");
  PutArtifact("c3", "y", "Y");
  RegisterModel("m", "LocalUpload/c1/mdir", {{"kvTags", {{"a", "1"}, {"b", "2"}}}});
  RegisterModel("m", "LocalUpload/c2/x", {{"kvTags", {{"a", "2"}}}});
  RegisterModel("other", "LocalUpload/c3/y");
  EXPECT_THAT(Listed(""), ElementsAre("other:1", "m:2", "m:1"));
  EXPECT_THAT(Listed("tags=a"), ElementsAre("m:2", "m:1"));
  EXPECT_THAT(Listed("tags=a%3D1%2Cb"), ElementsAre("m:1"));
  EXPECT_THAT(Listed("latestVersionOnly=true"), ElementsAre("other:1", "m:2"));
  const Json page = JsonOf(Ask("GET", Models("?count=2")));
  EXPECT_EQ(page["value"].size(), 2u);
  EXPECT_THAT(page["nextLink"].get<std::string>(), HasSubstr("?$skipToken=2"));
  EXPECT_THAT(Listed("count=2&%24skipToken=2"), ElementsAre("m:1"));
  EXPECT_EQ(Ask("GET", Models("?%24skipToken=x")).status, 400);
}

TEST_F(AzureModels, AreChangedByPatch) {
  RegisterModel("m", "LocalUpload/c1/mdir", {{"kvTags", {{"old", "1"}}}});
  const HttpResponse changed =
      Ask("PATCH", Models("/m%3A1"),
          R"([{"op": "replace", "path": "/kvTags", "value": {"requestedCpu": 0.4}}])",
          {{"Content-Type", "application/json-patch+json"}});
  EXPECT_EQ(changed.status, 200) << TextOf(changed);
  EXPECT_EQ(models_.Get("s/g/w", "m:1")->tags,
            (std::map<std::string, std::string>{{"requestedCpu", "0.4"}}));
  EXPECT_EQ(Ask("PATCH", Models("/none%3A1"), "[]").status, 404);
  EXPECT_EQ(Ask("PATCH", Models("/m%3A1"), "{").status, 400);
}

TEST_F(AzureModels, AreDeletedUnlessInUse) {
  RegisterModel("m", "LocalUpload/c1/mdir");
  EXPECT_EQ(Ask("DELETE", Models("/m%3A1")).status, 200);
  EXPECT_EQ(Ask("DELETE", Models("/m%3A1")).status, 404);
}

TEST_F(AzureModels, BadRequestsAreRefused) {
  EXPECT_EQ(Ask("POST", Models(), "{}").status, 400);
  EXPECT_EQ(Ask("POST", Models(), R"({"name": "m", "url": "aml://asset/none"})").status, 404);
  EXPECT_EQ(Ask("POST", Workspace("/modelmanagement/v1.0") + "/assets",
                R"({"name": "m", "artifacts": [{"prefix": "../x"}]})")
                .status,
            400);
  const std::string batch = Workspace("/artifact/v2.0") + "/artifacts/batch/metadata/LocalUpload/c";
  for (const char* bad :
       {"{}", R"({"paths": [{"path": "../x"}]})", R"({"paths": [{"path": "/x"}]})",
        R"({"paths": [{"path": "a\\b"}]})", R"({"paths": ["x"]})", "["}) {
    EXPECT_EQ(Ask("POST", batch, bad).status, 400) << bad;
  }
}

}  // namespace
}  // namespace mlprof::server
