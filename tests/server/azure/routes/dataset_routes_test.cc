#include <gmock/gmock.h>

#include "server/azure/datasets/dataflow.h"
#include "tests/server/azure/azure_bench.h"
#include "tests/server/profiling/broken_storage.h"

namespace mlprof::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kQuery =
    "?registerAsPending=false&ifExistsOk=true&updateDefinitionIfExists=true&withDataHash=false";

class AzureDatasets : public AzureBench {
 protected:
  AzureDatasets() { PutInDatastore("data/x.txt", "{\"data\": [1]}\n{\"data\": [2]}\n"); }

  std::string Datasets(const std::string& rest = "") {
    return Workspace("/dataset/v1.0") + "/datasets" + rest;
  }
  static std::string Dataflow(const std::string& path) {
    return DataflowJson(DataflowYaml("s/g/w", path, false));
  }
  HttpResponse Register(const std::string& name, const std::string& path,
                        const std::string& query = kQuery) {
    return Ask("POST", Datasets(query),
               DumpJson({{"name", name},
                         {"isVisible", true},
                         {"datasetType", "tabular"},
                         {"description", "d"},
                         {"tags", {{"a", "b"}}},
                         {"latest",
                          {{"datasetDefinitionState", Json::object()},
                           {"properties", Json::object()},
                           {"dataflow", Dataflow(path)}}}}),
               {{"Content-Type", "application/json-patch+json"}});
  }
  // As a client reads the rows: the YAML, then the blob it names.
  std::string TextNamedBy(const Json& response) {
    const auto dataflow = ParseDataflow(response["legacyDataflow"].get<std::string>(), "s/g/w");
    EXPECT_TRUE(dataflow) << DumpJson(response);
    return TextOf(Ask("GET", "/azureml-blobstore/" + dataflow->paths.at(0) + DatastoreQuery()));
  }
  Json DataVersion(const std::string& name, const std::string& version) {
    return JsonOf(Ask("GET", Workspace("/data/v1.0") + "/dataversion/" + name + "/versions/" +
                                 version + "?includeSavedDatasets=true"));
  }
  Rows NativeRows(const std::string& id) {
    return datasets_.ReadRows(*datasets_.Get("s/g/w", id)).value();
  }
};

TEST_F(AzureDatasets, IsTheNativeDatasetOfThatName) {
  const HttpResponse made = Register("requests", "data/x.txt");
  ASSERT_EQ(made.status, 200) << TextOf(made);
  const Json json = JsonOf(made);
  EXPECT_EQ(json["name"], "requests");
  EXPECT_EQ(json["datasetType"], "tabular");
  EXPECT_EQ(json["description"], "d");
  EXPECT_EQ(json["tags"]["a"], "b");
  EXPECT_EQ(json["latest"]["versionId"], "1");
  EXPECT_EQ(json["latest"]["datasetId"], json["datasetId"]);
  EXPECT_THAT(NativeRows("requests:1"), ElementsAre("{\"data\": [1]}", "{\"data\": [2]}"));
  EXPECT_THAT(NativeRows(json["latest"]["savedDatasetId"].get<std::string>()),
              ElementsAre("{\"data\": [1]}", "{\"data\": [2]}"));
}

TEST_F(AzureDatasets, ItsDefinitionSaysWhetherThereIsAHeader) {
  PutInDatastore("data/h.txt", "text\n{\"data\": [1]}\n{\"data\": [2]}\n");
  ASSERT_EQ(Register("without", "data/h.txt").status, 200);
  EXPECT_EQ(NativeRows("without:1").size(), 3u);
  EXPECT_EQ(datasets_.Get("s/g/w", "without:1")->warnings.at(0).code, "looksLikeHeader");
  std::string yaml = DataflowYaml("s/g/w", "data/h.txt", false);
  yaml.replace(yaml.find("no_header"), 9, "all_files_same_headers");
  const HttpResponse with = Ask("POST", Datasets(kQuery),
                                DumpJson({{"name", "with"},
                                          {"datasetType", "tabular"},
                                          {"latest", {{"dataflow", DataflowJson(yaml)}}}}));
  ASSERT_EQ(with.status, 200) << TextOf(with);
  EXPECT_THAT(NativeRows("with:1"), ElementsAre("{\"data\": [1]}", "{\"data\": [2]}"));
  EXPECT_TRUE(datasets_.Get("s/g/w", "with:1")->warnings.empty());
}

TEST_F(AzureDatasets, ItsDefinitionNamesExactlyItsRowsWhateverBecomesOfTheFile) {
  const std::string id =
      JsonOf(Register("requests", "data/x.txt"))["latest"]["savedDatasetId"].get<std::string>();
  PutInDatastore("data/x.txt", "other\n");
  EXPECT_EQ(TextNamedBy(DataVersion("unregistered-" + id, "1")),
            "{\"data\": [1]}\n{\"data\": [2]}\n");
  EXPECT_EQ(TextNamedBy(DataVersion("requests", "None")), "{\"data\": [1]}\n{\"data\": [2]}\n");
}

TEST_F(AzureDatasets, TheSameRowsAreTheSameVersionAndOthersTheNext) {
  const Json first = JsonOf(Register("requests", "data/x.txt"));
  EXPECT_EQ(JsonOf(Register("requests", "data/x.txt"))["latest"]["versionId"], "1");
  PutInDatastore("data/x.txt", "other\n");
  const Json second = JsonOf(Register("requests", "data/x.txt"));
  EXPECT_EQ(second["latest"]["versionId"], "2");
  EXPECT_EQ(second["datasetId"], first["datasetId"]);
  EXPECT_NE(second["latest"]["savedDatasetId"], first["latest"]["savedDatasetId"]);
}

TEST_F(AzureDatasets, TheSameRowsDescribedAnewAreTheNextVersion) {
  ASSERT_EQ(Register("requests", "data/x.txt").status, 200);
  const HttpResponse again = Ask("POST", Datasets(kQuery),
                                 DumpJson({{"name", "requests"},
                                           {"datasetType", "tabular"},
                                           {"description", "d"},
                                           {"tags", {{"a", "other"}}},
                                           {"latest", {{"dataflow", Dataflow("data/x.txt")}}}}));
  EXPECT_EQ(JsonOf(again)["latest"]["versionId"], "2");
  EXPECT_EQ(JsonOf(again)["tags"]["a"], "other");
}

TEST_F(AzureDatasets, OneWhoseTagsCannotBeStoredIsNotRegistered) {
  const std::size_t files = FilesUnder("content");
  BrokenStorage storage(folder_ / "mlprof.db");
  storage.Break("INSERT ON azure_dataset_tags");
  EXPECT_EQ(Register("requests", "data/x.txt").status, 500);
  EXPECT_FALSE(datasets_.Get("s/g/w", "requests"));
  EXPECT_EQ(FilesUnder("content"), files);
  storage.Mend();
  EXPECT_EQ(JsonOf(Register("requests", "data/x.txt"))["latest"]["versionId"], "1");
}

TEST_F(AzureDatasets, ANameIsNoId) {
  const std::string guid =
      JsonOf(Register("requests", "data/x.txt"))["latest"]["savedDatasetId"].get<std::string>();
  EXPECT_EQ(Register("requests:1", "data/x.txt", "?ifExistsOk=true").status, 400);
  EXPECT_EQ(JsonOf(Register(guid, "data/x.txt"))["name"], guid);
}

TEST_F(AzureDatasets, ANameInUseIsRefusedUnlessAsked) {
  Register("requests", "data/x.txt");
  PutInDatastore("data/x.txt", "other\n");
  const HttpResponse refused =
      Register("requests", "data/x.txt", "?ifExistsOk=false&updateDefinitionIfExists=false");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(TextOf(refused), HasSubstr("already a dataset registered under name"));
}

TEST_F(AzureDatasets, IsFoundByNameVersionAndContent) {
  const std::string id =
      JsonOf(Register("requests", "data/x.txt"))["latest"]["savedDatasetId"].get<std::string>();
  const auto query = [this](const std::string& text) {
    return Ask("GET", Datasets("/query/" + text));
  };
  EXPECT_EQ(query("name=requests?includeLatestDefinition=true").status, 200);
  EXPECT_EQ(query("name=requests?includeLatestDefinition=true&versionId=1").status, 200);
  EXPECT_EQ(query("name=requests?includeLatestDefinition=true&versionId=2").status, 404);
  EXPECT_EQ(query("name=none?includeLatestDefinition=true").status, 404);
  EXPECT_EQ(JsonOf(query("savedDatasetId=" + id + "?pageSize=1"))["value"][0]["name"], "requests");
  EXPECT_EQ(JsonOf(query("savedDatasetId=none"))["value"].size(), 0u);
  const Json all = JsonOf(Ask("GET", Datasets("?pageSize=100&includeLatestDefinition=true")));
  EXPECT_EQ(all["value"].size(), 1u);
  EXPECT_EQ(all["continuationToken"], nullptr);
}

TEST_F(AzureDatasets, AnUnregisteredOneIsKeptByItsContent) {
  const auto save = [this] {
    return JsonOf(Ask("POST", Workspace("/dataset/v1.0") + "/saveddatasets?withDataHash=false",
                      DumpJson({{"datasetType", "tabular"},
                                {"properties", Json::object()},
                                {"dataflowJson", Dataflow("data/x.txt")}})));
  };
  const std::string id = save()["id"].get<std::string>();
  EXPECT_EQ(save()["id"], id);
  EXPECT_THAT(NativeRows(id), ElementsAre("{\"data\": [1]}", "{\"data\": [2]}"));
  EXPECT_EQ(datasets_.List("s/g/w", "", {})->value.size(), 1u);
  const std::string saved = Workspace("/dataset/v1.0") + "/saveddatasets/" + id;
  EXPECT_EQ(JsonOf(Ask("GET", saved + "?resolveLegacyId=true"))["id"], id);
  // Registered later it is the same content.
  EXPECT_EQ(JsonOf(Register("requests", "data/x.txt"))["latest"]["savedDatasetId"], id);
}

TEST_F(AzureDatasets, FoldersAndGlobsAreReadWhole) {
  PutInDatastore("data/y.txt", "y\n");
  PutInDatastore("data/sub/z.csv", "z\n");
  EXPECT_EQ(Register("folder", "data").status, 200);
  EXPECT_EQ(NativeRows("folder").size(), 4u);
  EXPECT_EQ(Register("glob", "data/*.txt").status, 200);
  EXPECT_EQ(NativeRows("glob").size(), 3u);
  EXPECT_EQ(Register("none", "data/*.json").status, 400);
}

TEST_F(AzureDatasets, ANativeDatasetIsReadByTheClient) {
  NewDataset native{"s/g/w", "native", "", "application/json"};
  ASSERT_TRUE(datasets_.Register(native, Upload(R"({"rows": ["two\nlines", "\"q\""]})"), {}));
  const Json response = DataVersion("native", "1");
  EXPECT_EQ(TextNamedBy(response), "\"two\nlines\"\n\"\"\"q\"\"\"\n");
  EXPECT_THAT(response["legacyDataflow"].get<std::string>(), HasSubstr("support_multi_line: true"));
}

TEST_F(AzureDatasets, RowsThatAreNoTextAreToldSo) {
  NewDataset native{"s/g/w", "bytes", "", "application/json"};
  ASSERT_TRUE(datasets_.Register(native, Upload(R"({"rows": [{"base64": "/w=="}]})"), {}));
  EXPECT_EQ(Ask("GET", Datasets("/query/name=bytes")).status, 400);
  EXPECT_EQ(JsonOf(Ask("GET", Datasets()))["value"].size(), 0u);
}

TEST_F(AzureDatasets, ATextIsMadeOnceForAllItsRanges) {
  const Json made = JsonOf(Register("requests", "data/x.txt"));
  const std::string id = made["latest"]["savedDatasetId"].get<std::string>();
  const std::string text = "/azureml-blobstore/mlprof-datasets/" + id + ".txt" + DatastoreQuery();
  const HttpResponse whole = Ask("GET", text);
  const HttpResponse part = Ask("GET", text, "", {{"Range", "bytes=2-5"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(TextOf(part), TextOf(whole).substr(2, 4));
  EXPECT_EQ(std::get<FileBody>(part.body).file, std::get<FileBody>(whole.body).file);
}

TEST_F(AzureDatasets, BadRequestsAreRefused) {
  for (const char* bad :
       {"{", "[]", "{}", R"({"name": "d", "datasetType": "file"})",
        R"({"name": "d", "datasetType": "tabular", "latest": {"dataflow": "{}"}})",
        R"({"name": 1, "datasetType": "tabular"})"}) {
    EXPECT_EQ(Ask("POST", Datasets(kQuery), bad).status, 400) << bad;
  }
  EXPECT_EQ(Register("-bad-", "data/x.txt").status, 400);
}

}  // namespace
}  // namespace mlprof::server
