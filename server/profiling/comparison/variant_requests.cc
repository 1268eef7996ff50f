#include "server/profiling/comparison/variant_requests.h"

#include <algorithm>

#include "common/json/field_checks.h"
#include "common/json/json_reader.h"
#include "server/analysis/variants/shared_budget.h"

namespace mlprof::server {
namespace {

std::string PointerOfVariant(std::size_t index) { return JoinPointer("/variants", index); }

// An image stands for a config of its own where there is none, and so does a command: a server
// whose models are processes serves it as it is.
ImageConfig* ImageOf(const Variant& variant, std::optional<InferenceConfig>& config) {
  if (!config && (variant.image || variant.command)) {
    config.emplace();
    config->service = ImageConfig();
  }
  return config ? std::get_if<ImageConfig>(&config->service) : nullptr;
}

void ApplyImage(const Variant& variant, const std::string& pointer,
                std::optional<InferenceConfig>& config, std::vector<FieldError>& problems) {
  if (!variant.image && !variant.command && !variant.args) return;
  ImageConfig* image = ImageOf(variant, config);
  if (image == nullptr) {
    const char* key = variant.image ? "image" : variant.command ? "command" : "args";
    problems.push_back({JoinPointer(pointer, key),
                        config ? "needs an inference config with an image; this one has an entry "
                                 "script, which environmentVariables and inferenceConfig change"
                               : "needs an inference config, and there is none"});
    return;
  }
  if (variant.image) image->image = *variant.image;
  if (variant.command) image->command = variant.command;
  if (variant.args) image->args = variant.args;
}

std::optional<InferenceConfig> ConfigOf(const Variant& variant, const std::string& pointer,
                                        std::optional<InferenceConfig> config,
                                        std::vector<FieldError>& problems) {
  if (variant.inference_config) config = variant.inference_config;
  ApplyImage(variant, pointer, config, problems);
  if (!config) return config;
  for (const auto& [name, value] : variant.environment_variables) {
    config->environment_variables[name] = value;
  }
  return config;
}

ProfileRequest RequestOf(const VariantComparisonRequest& comparison, std::size_t index,
                         const std::optional<InferenceConfig>& config,
                         std::vector<FieldError>& problems) {
  const Variant& variant = comparison.variants[index];
  const std::string pointer = PointerOfVariant(index);
  ProfileRequest request = comparison.base;
  request.name += "." + variant.name;
  if (const std::string problem = CheckName(request.name); !problem.empty()) {
    problems.push_back({pointer + "/name", "its profile's name, " + request.name + ", " + problem});
  }
  request.inference_config = ConfigOf(variant, pointer, config, problems);
  if (variant.objective) request.objective = *variant.objective;
  if (request.budget_given) {
    request.budget = NextShare(request.budget, {}, static_cast<int>(comparison.variants.size()));
  }
  return request;
}

}  // namespace

std::vector<ProfileRequest> RequestsOf(const VariantComparisonRequest& comparison,
                                       const std::optional<InferenceConfig>& config,
                                       std::vector<FieldError>& problems) {
  std::vector<ProfileRequest> requests;
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    requests.push_back(RequestOf(comparison, i, config, problems));
  }
  return requests;
}

std::string PointerInComparison(const std::string& pointer, const Variant& variant,
                                std::size_t index, bool shared_config) {
  constexpr std::string_view kConfig = "/inferenceConfig";
  if (!variant.inference_config && pointer.starts_with(kConfig)) {
    const std::string within = pointer.substr(kConfig.size());
    const auto says = [&](const char* key, bool given) { return given && within.starts_with(key); };
    // Without a config to begin with all of it is the variant's.
    const bool own = !shared_config && (variant.image || variant.command);
    if (own || says("/image", variant.image.has_value()) ||
        says("/command", variant.command.has_value()) || says("/args", variant.args.has_value())) {
      return PointerOfVariant(index) + within;
    }
  }
  const bool own = (variant.inference_config && pointer.starts_with("/inferenceConfig")) ||
                   (variant.objective && pointer.starts_with("/objective"));
  return own ? PointerOfVariant(index) + pointer : pointer;
}

void RefuseAlike(const std::vector<ProfileRequest>& requests, std::vector<FieldError>& problems) {
  const auto alike = [](const ProfileRequest& a, const ProfileRequest& b) {
    return a.inference_config == b.inference_config && a.objective == b.objective;
  };
  for (std::size_t i = 1; i < requests.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      if (!alike(requests[before], requests[i])) continue;
      const std::string first = PointerOfVariant(before);
      const std::string second = PointerOfVariant(i);
      problems.push_back({first, "asks for the same as " + second});
      problems.push_back({second, "asks for the same as " + first +
                                      ": equal inference config and objective; leave one out"});
      break;
    }
  }
}

}  // namespace mlprof::server
