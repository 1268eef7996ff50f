// What the server and the command line both need to know of Azure ML v1. What Azure knows of a
// model and mlprof has no field for is kept in properties of reserved names.
#pragma once

#include <string>

#include "common/time/timestamp.h"

namespace mlprof {

/// Begins the names of those properties: "azureml.framework".
inline constexpr const char* kAzurePropertyPrefix = "azureml.";
/// The framework of a model that names none.
inline constexpr const char* kNoAzureFramework = "Custom";

/// As Python, and so the `az` command line, writes it: "2026-11-20T19:10:00.123000+00:00".
inline std::string AzTime(Timestamp when) {
  std::string text = FormatTimestamp(when);
  text.pop_back();  // the Z
  return text + "000+00:00";
}

}  // namespace mlprof
