#include "server/azure/datasets/dataflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kWorkspace = "s/g/w";

// As the client writes it.
std::string Definition(const std::string& path, const std::string& more = "") {
  return R"(type: mltable
paths:
  - pattern: ")" +
         path + R"("
transformations:
  - read_delimited:
      path_column: Path
      include_path_column: false
      encoding: utf8
      support_multi_line: false
      delimiter: "\n"
      empty_as_string: false
      partition_size: 20971520
      header: no_header
      infer_column_types: false
)" + more +
         R"(metadata:
  infer_column_types: "False"
)";
}

std::string InDatastore(const std::string& path) {
  return "azureml://subscriptions/s/resourcegroups/g/workspaces/w/datastores/workspaceblobstore/"
         "paths/" +
         path;
}

std::string Refusal(const std::string& yaml) {
  const auto dataflow = ParseDataflow(yaml, kWorkspace);
  return dataflow ? "" : dataflow.error().message();
}

TEST(Dataflow, SaysWhereTheTextLiesAndHowItIsCut) {
  const auto dataflow = ParseDataflow(Definition(InDatastore("data/x%20y.txt")), kWorkspace);
  ASSERT_TRUE(dataflow) << dataflow.error().message();
  EXPECT_THAT(dataflow->paths, ElementsAre("data/x y.txt"));
  EXPECT_EQ(dataflow->format.delimiter, '\n');
  EXPECT_EQ(dataflow->format.header, HeaderRule::kNone);
  EXPECT_FALSE(dataflow->format.multi_line);
}

TEST(Dataflow, InferredTypesAreNoFurtherStep) {
  const std::string converts =
      "  - convert_column_types:\n      - columns: Column1\n        column_type: string\n";
  EXPECT_EQ(Refusal(Definition(InDatastore("x"), converts)), "");
}

TEST(Dataflow, FoldersMayEndInASlash) {
  EXPECT_THAT(ParseDataflow(Definition(InDatastore("folder/")), kWorkspace)->paths,
              ElementsAre("folder"));
}

TEST(Dataflow, RefusesWhatItCannotFollow) {
  EXPECT_THAT(Refusal(Definition(InDatastore("x"), "  - take: 5\n")), HasSubstr("\"take\""));
  EXPECT_THAT(Refusal(Definition("https://example.org/x.txt")), HasSubstr("https://example.org"));
  EXPECT_THAT(Refusal(Definition(InDatastore("../x"))), HasSubstr("'..'"));
  EXPECT_THAT(Refusal(Definition(InDatastore("%2e%2e/x"))), HasSubstr("'..'"));
  EXPECT_THAT(Refusal(Definition("azureml://subscriptions/s/resourcegroups/g/workspaces/other/"
                                 "datastores/workspaceblobstore/paths/x")),
              HasSubstr("another workspace"));
  EXPECT_THAT(Refusal(Definition("azureml://datastores/mine/paths/x")), HasSubstr("is not in"));
  EXPECT_THAT(Refusal("paths: []\ntransformations: []\n"), HasSubstr("names no files"));
  EXPECT_THAT(Refusal("a: 1\n"), HasSubstr("no paths"));
  EXPECT_THAT(Refusal("["), HasSubstr("not YAML"));
}

TEST(Dataflow, LiesInsideTheJsonTextAClientSends) {
  EXPECT_EQ(*YamlOfDataflow(R"({"blocks": [], "meta": {"RsDataflow": "type: mltable\n"}})"),
            "type: mltable\n");
  EXPECT_FALSE(YamlOfDataflow(R"({"blocks": []})"));
  EXPECT_FALSE(YamlOfDataflow("no JSON"));
}

TEST(Dataflow, ItsOwnDefinitionIsReadBack) {
  const std::string yaml = DataflowYaml(kWorkspace, "mlprof-datasets/x.txt", true);
  const auto dataflow = ParseDataflow(*YamlOfDataflow(DataflowJson(yaml)), kWorkspace);
  ASSERT_TRUE(dataflow) << dataflow.error().message();
  EXPECT_THAT(dataflow->paths, ElementsAre("mlprof-datasets/x.txt"));
  EXPECT_TRUE(dataflow->format.multi_line);
}

}  // namespace
}  // namespace mlprof::server
