#include "client/cli/variants_file.h"

#include "client/cli/artifacts.h"
#include "client/cli/text_file.h"
#include "common/json/variants_json.h"

namespace mlprof::client::cli {
namespace {

constexpr IntegerRange kBudgetSeconds{1, 86'400};

VariantComparisonRequest ReadRequest(JsonReader& reader) {
  VariantComparisonRequest request;
  ReadVariants(reader, SourceRule::kLocalFile, request);
  if (const auto seconds = reader.Integer("budgetSeconds", kBudgetSeconds)) {
    request.base.budget = std::chrono::seconds(*seconds);
    request.base.budget_given = true;
  }
  CheckSharedBudget(reader, request);
  reader.Find("$schema");
  reader.RefuseUnknown(Unknown::kWithAllowed);
  return request;
}

}  // namespace

Result<VariantsFile> ReadVariantsFile(const std::filesystem::path& file) {
  MLPROF_LET(text, ReadTextFile(file));
  const auto json = ParseJson(text);
  if (!json) return Fail(json.error().WithContext(file.string()));
  std::vector<FieldError> problems;
  JsonReader reader(*json, "", JsonReader::Mode::kRequest, problems);
  VariantsFile variants;
  variants.request = ReadRequest(reader);
  if (!problems.empty()) {
    return Fail(Error(ErrorCode::kInvalidArgument, file.string() + " is no usable variants file",
                      std::move(problems)));
  }
  for (std::size_t i = 0; i < variants.request.variants.size(); ++i) {
    auto& config = variants.request.variants[i].inference_config;
    variants.configs.emplace_back();
    if (!config) continue;
    MLPROF_LET(local,
               LocalConfigOf(file, *config, "/variants/" + std::to_string(i) + "/inferenceConfig"));
    variants.configs.back() = std::move(local);
  }
  return variants;
}

Result<VariantComparisonRequest> UploadVariants(Session& session, Client& client, VariantsFile file,
                                                ProfileRequest base) {
  VariantComparisonRequest request = std::move(file.request);
  if (!base.budget_given && request.base.budget_given) {
    base.budget = request.base.budget;
    base.budget_given = true;
  }
  request.base = std::move(base);
  for (std::size_t i = 0; i < request.variants.size(); ++i) {
    Variant& variant = request.variants[i];
    if (variant.objective) {
      MLPROF_TRY(ResolveTrace(session, client, variant.objective->arrivals));
    }
    if (!file.configs[i]) continue;
    MLPROF_LET(config, UploadSource(session, client, std::move(*file.configs[i])));
    variant.inference_config = std::move(config);
  }
  return request;
}

}  // namespace mlprof::client::cli
