#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/json/domain_json.h"

namespace mlprof {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const std::string kSource = "sha256:" + std::string(64, 'a');

Result<InferenceConfig> DecodeConfig(const std::string& text,
                                     SourceRule rule = SourceRule::kNeedsSourceId) {
  return DecodeInferenceConfig(*ParseJson(text), "", rule);
}

std::vector<std::string> BadFields(const std::string& text) {
  std::vector<std::string> pointers;
  const auto config = DecodeConfig(text);
  if (config) return pointers;
  for (const FieldError& field : config.error().fields()) pointers.push_back(field.pointer);
  return pointers;
}

TEST(InferenceConfigJsonTest, ReadsTheDocumentedEntryScript) {
  const auto config = DecodeConfig(
      R"({"entryScript":"score.py","sourceDirectory":"./src","environment":{"name":"sklearn",
          "docker":{"baseImage":"image"},"python":{"pipPackages":["scikit-learn==1.5.2"],
          "condaPackages":["python=3.8","numpy"],"condaDependenciesFile":"env.yml","requirementsFile":"requirements.txt"},
          "environmentVariables":{"OMP_NUM_THREADS":"1"}}})",
      SourceRule::kLocalFile);
  ASSERT_TRUE(config.has_value()) << config.error().message();
  const auto& script = std::get<EntryScriptConfig>(config->service);
  EXPECT_EQ(script.base_image, "image");
  EXPECT_EQ(script.requirements_file, "requirements.txt");
  EXPECT_EQ(config->environment_variables.at("OMP_NUM_THREADS"), "1");
}

TEST(InferenceConfigJsonTest, ReadsTheDocumentedImage) {
  const auto config = DecodeConfig(
      R"({"image":"image","command":["/server","--port","8080"],"args":[],"port":8080,
          "scoringPath":"/score","method":"POST","contentType":"application/json","headers":{},
          "readinessPath":"/ready","modelMountPath":"/models","environmentVariables":{},
          "profilerPort":6000,"network":"none","runAsRoot":false,
          "writablePaths":["/var/cache/x"],"shmSizeInMb":64,"startTimeoutSeconds":300,
          "requestTimeoutSeconds":60})");
  ASSERT_TRUE(config.has_value()) << config.error().message();
  const auto& image = std::get<ImageConfig>(config->service);
  EXPECT_EQ(image.command->size(), 3u);
  EXPECT_EQ(image.args, std::nullopt);
  EXPECT_EQ(config->profiler_port, 6000);
  EXPECT_EQ(config->shm_size, MiB(64));
}

TEST(InferenceConfigJsonTest, TakesNoProfilerAtThePortOfTheRows) {
  const std::string script = R"({"entryScript":"s.py","sourceId":")" + kSource + R"(",)";
  for (const std::string& text :
       {std::string(R"({"image":"i","port":6000,"profilerPort":6000})"),
        std::string(R"({"image":"i","profilerPort":8080})"), script + R"("profilerPort":5001})",
        std::string(R"({"image":"i","profilerPort":0})"),
        std::string(R"({"image":"i","profilerPort":65536})"),
        std::string(R"({"image":"i","profilerPort":"6000"})")}) {
    EXPECT_THAT(BadFields(text), ElementsAre("/profilerPort")) << text;
  }
  EXPECT_TRUE(DecodeConfig(script + R"("profilerPort":8080})"));
  EXPECT_TRUE(DecodeConfig(R"({"image":"i","port":5000,"profilerPort":5001})"));
}

TEST(InferenceConfigJsonTest, TakesACommandInPlaceOfAnImage) {
  for (const char* text : {R"({"command":["/server"],"port":80})",
                           R"({"image":"","command":["/server"],"port":80})"}) {
    const auto config = DecodeConfig(text);
    ASSERT_TRUE(config.has_value()) << config.error().message();
    const Json json = EncodeInferenceConfig(*config);
    EXPECT_FALSE(json.contains("image"));
    const auto again = DecodeConfig(json.dump());
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_EQ(*again, *config);
  }
  EXPECT_THAT(BadFields(R"({"image":"","port":80})"), ElementsAre("/image"));
  EXPECT_THAT(BadFields(R"({"command":[],"port":80})"), ElementsAre("/image"));
}

TEST(InferenceConfigJsonTest, NeedsExactlyOneForm) {
  EXPECT_THAT(BadFields(R"({"port":80})"),
              UnorderedElementsAre("/entryScript", "/sourceId", "/port"));
  EXPECT_THAT(BadFields(R"({"image":"i","entryScript":"s.py","sourceId":")" + kSource + R"("})"),
              ElementsAre("/image"));
}

TEST(InferenceConfigJsonTest, NamesEveryBadField) {
  EXPECT_THAT(BadFields(R"({"image":"Bad Image","port":0,"scoringPath":"score",
                            "headers":{"Host":"x","X-Ok":"a\nb"},"modelMountPath":"models",
                            "environmentVariables":{"A=B":"c"},"network":"host",
                            "writablePaths":["/ok","rel"],"startTimeoutSeconds":0})"),
              UnorderedElementsAre("/image", "/port", "/scoringPath", "/headers/Host",
                                   "/headers/X-Ok", "/modelMountPath", "/environmentVariables/A=B",
                                   "/network", "/writablePaths/1", "/startTimeoutSeconds"));
}

TEST(InferenceConfigJsonTest, MountsNothingOverTheKernelsOrTheAgentsFiles) {
  for (const char* path : {"/proc", "/proc/self", "/sys/fs", "/dev", "//dev/./shm", "/.mlprof",
                           "/./.mlprof/x", "/sys/."}) {
    EXPECT_THAT(BadFields(R"({"image":"i","modelMountPath":")" + std::string(path) + R"("})"),
                ElementsAre("/modelMountPath"))
        << path;
    EXPECT_THAT(BadFields(R"({"image":"i","writablePaths":[")" + std::string(path) + R"("]})"),
                ElementsAre("/writablePaths/0"))
        << path;
  }
  EXPECT_TRUE(
      DecodeConfig(R"({"image":"i","modelMountPath":"/process","writablePaths":["/device"]})"));
}

TEST(InferenceConfigJsonTest, MountsNoModelAroundAWritableFolder) {
  for (const char* path : {"/tmp", "/home", "/home/mlprof/", "/var", "/var/cache"}) {
    EXPECT_THAT(BadFields(R"({"image":"i","writablePaths":["/var/cache"],"modelMountPath":")" +
                          std::string(path) + R"("})"),
                ElementsAre("/modelMountPath"))
        << path;
  }
  EXPECT_TRUE(DecodeConfig(R"({"image":"i","modelMountPath":"/tmp/models"})"));
}

TEST(InferenceConfigJsonTest, RefusesFieldsOfTheOtherForm) {
  EXPECT_THAT(BadFields(R"({"entryScript":"s.py","port":1,"sourceId":")" + kSource + R"("})"),
              ElementsAre("/port"));
}

TEST(InferenceConfigJsonTest, ReadsBackWhatItWrites) {
  const std::vector<std::string> texts = {
      R"({"entryScript":"s.py","sourceId":")" + kSource +
          R"(","environment":{"python":{"pipPackages":["numpy"]}},"network":"bridge"})",
      R"({"image":"i:1","args":["--x"],"method":"PUT","headers":{"A":"b"},"runAsRoot":true,
          "writablePaths":["/data"],"shmSizeInMb":1})"};
  for (const std::string& text : texts) {
    const auto config = DecodeConfig(text);
    ASSERT_TRUE(config.has_value()) << config.error().message();
    const auto again =
        DecodeInferenceConfig(EncodeInferenceConfig(*config), "", SourceRule::kNeedsSourceId);
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_EQ(*again, *config);
  }
}

}  // namespace
}  // namespace mlprof
