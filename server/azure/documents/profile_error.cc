#include "server/azure/documents/profile_error.h"

#include <algorithm>
#include <array>

namespace mlprof::server {
namespace {

Json ErrorJson(const std::string& code, const std::string& message, Json details) {
  return {
      {"code", code}, {"statusCode", 400}, {"message", message}, {"details", std::move(details)}};
}

Json AdviceJson(const std::string& advice) { return {{"code", "Advice"}, {"message", advice}}; }

// Of an environment that is another than the one that was asked for.
constexpr std::array<std::string_view, 3> kEnvironmentDiffers = {
    "baseImageReplaced", "pythonVersionDiffers", "condaPackagesIgnored"};

std::vector<Warning> EnvironmentWarnings(const Profile& profile) {
  std::vector<Warning> differs = profile.warnings;
  std::erase_if(differs, [](const Warning& warning) {
    return std::find(kEnvironmentDiffers.begin(), kEnvironmentDiffers.end(), warning.code) ==
           kEnvironmentDiffers.end();
  });
  return differs;
}

bool IsVerified(const Profile& profile) {
  return profile.recommendation && profile.recommendation->verified;
}

const char* ReservationCode(const Profile& profile) {
  return IsVerified(profile) ? "EnvironmentDiffers" : "NotVerified";
}

// Of one that found no limit. These clients know no such outcome: the profile succeeded, its
// recommended figures are absent, and the error says why.
Json NoAnswerError(const NoAnswer& no_answer) {
  const bool not_held = no_answer.code == kObjectiveNotHeld;
  return ErrorJson(not_held ? "ObjectiveNotHeld" : "NoAnswer", no_answer.message, Json::array());
}

Json SdkReservation(const Profile& profile) {
  if (profile.no_answer) return NoAnswerError(*profile.no_answer);
  std::string message;
  Json details = Json::array();
  const auto add = [&](const std::string& code, const std::string& text) {
    message += (message.empty() ? "" : "; ") + text;
    details.push_back({{"code", code}, {"message", text}});
  };
  if (!IsVerified(profile)) {
    add("NotVerified", "the recommendation could not be verified in fresh containers");
  }
  for (const Warning& warning : EnvironmentWarnings(profile)) add(warning.code, warning.message);
  if (message.empty()) return nullptr;
  return ErrorJson(ReservationCode(profile), message, std::move(details));
}

Json AzReservation(const Profile& profile) {
  if (profile.no_answer) return NoAnswerError(*profile.no_answer);
  std::string message =
      IsVerified(profile) ? "" : "the answer could not be verified in fresh containers";
  Json details = Json::array();
  for (const Warning& warning : EnvironmentWarnings(profile)) {
    message += (message.empty() ? "" : "; ") + warning.message;
    details.push_back(AdviceJson(warning.advice));
  }
  if (message.empty()) return nullptr;
  return ErrorJson(ReservationCode(profile), message, std::move(details));
}

const char* AzWords(ProfileState state) {
  if (state == ProfileState::kCanceled) return "the profile was cancelled";
  if (state == ProfileState::kTimedOut) return "the profile ran out of time without an answer";
  return "the profile failed";
}

}  // namespace

Json SdkProfileFailure(const Profile& profile) {
  if (!profile.error) {
    const bool timed_out = profile.state == ProfileState::kTimedOut;
    return ErrorJson(timed_out ? "TimedOut" : "Failed",
                     timed_out ? "the profile's budget was used up before there was an answer"
                               : "the profile failed",
                     Json::array());
  }
  std::string message = profile.error->message;
  Json details = Json::array();
  for (const std::string& advice : profile.error->advice) {
    message += "; " + advice;
    details.push_back(AdviceJson(advice));
  }
  if (!profile.error->evidence.empty()) {
    details.push_back({{"code", "Evidence"}, {"message", profile.error->evidence}});
  }
  return ErrorJson(profile.error->code, message, std::move(details));
}

Json SdkProfileError(const Profile& profile) {
  switch (profile.state) {
    case ProfileState::kSucceeded: return SdkReservation(profile);
    case ProfileState::kCanceled:
      return ErrorJson("Cancelled", "the profile was cancelled", Json::array());
    case ProfileState::kFailed:
    case ProfileState::kTimedOut: return SdkProfileFailure(profile);
    default: return nullptr;
  }
}

Json AzProfileError(const Profile& profile) {
  if (!IsFinished(profile.state)) return nullptr;
  if (profile.state == ProfileState::kSucceeded) return AzReservation(profile);
  if (!profile.error) {
    return ErrorJson(std::string(Name(profile.state)), AzWords(profile.state), Json::array());
  }
  Json details = Json::array();
  for (const std::string& advice : profile.error->advice) details.push_back(AdviceJson(advice));
  return ErrorJson(profile.error->code, profile.error->message, std::move(details));
}

}  // namespace mlprof::server
