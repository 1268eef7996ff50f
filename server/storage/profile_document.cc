#include "server/storage/profile_document.h"

#include "common/json/domain_json.h"
#include "common/json/json_reader.h"
#include "common/json/objective_json.h"

namespace mlprof::server {
namespace {

constexpr const char* kReruns = "reruns";
constexpr const char* kAskedCeiling = "askedCeiling";
constexpr const char* kAskedConnections = "askedConnections";
constexpr const char* kBudgetGiven = "budgetGiven";

// Written by this server, so only a bound against a damaged file.
constexpr JsonLimits kDocumentLimits{
    .max_bytes = 64 << 20, .max_depth = 64, .max_nodes = 4'000'000};

Json EncodeReruns(const std::vector<Rerun>& reruns) {
  Json json = Json::array();
  for (const Rerun& rerun : reruns) {
    json.push_back({{"cause", Name(rerun.cause)}, {"words", rerun.words}});
  }
  return json;
}

Result<std::vector<Rerun>> DecodeReruns(const Json& document) {
  std::vector<FieldError> problems;
  JsonReader reader(document, "", JsonReader::Mode::kResource, problems);
  std::vector<Rerun> reruns;
  for (JsonReader& item : reader.Objects(kReruns)) {
    const auto cause = ParseRerunCause(item.String("cause").value_or(""));
    if (!cause) item.Problem("cause", "must be the cause of another run");
    reruns.push_back(
        {cause.value_or(RerunCause::kServerStopped), item.String("words").value_or("")});
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return reruns;
}

// One for each warning that tells of one.
std::vector<Rerun> FormerReruns(const std::vector<Warning>& warnings) {
  std::vector<Rerun> reruns;
  for (const Warning& warning : warnings) {
    if (const auto cause = ParseRerunCause(warning.code)) {
      reruns.push_back({*cause, warning.message});
    }
  }
  return reruns;
}

Json EncodeAskedCeiling(const Ceiling& ceiling) {
  Json json = {{"cpu", nullptr}, {"memoryInBytes", nullptr}};
  if (ceiling.cpu) json["cpu"] = ceiling.cpu->value();
  if (ceiling.memory) json["memoryInBytes"] = ceiling.memory->count();
  return json;
}

// Nothing of a former version's, which kept what it was bounded to alone.
Result<Ceiling> DecodeAskedCeiling(const Json& document) {
  std::vector<FieldError> problems;
  JsonReader reader(document, "", JsonReader::Mode::kResource, problems);
  Ceiling ceiling;
  if (auto asked = reader.Object(kAskedCeiling)) {
    if (const auto cpu = asked->Number("cpu")) ceiling.cpu = Cores(*cpu);
    if (const auto memory = asked->BigInteger("memoryInBytes")) ceiling.memory = Bytes(*memory);
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return ceiling;
}

// Former versions did not keep it, and promised every budget as a hard end.
bool BudgetWasGiven(const Json& document) {
  const auto given = document.find(kBudgetGiven);
  return given == document.end() || !given->is_boolean() || given->get<bool>();
}

}  // namespace

std::string ProfileDocument(const Profile& profile) {
  Json json = EncodeProfile(profile);
  json[kReruns] = EncodeReruns(profile.reruns);
  json[kAskedCeiling] = EncodeAskedCeiling(profile.asked_ceiling);
  if (profile.asked_connections) json[kAskedConnections] = Name(*profile.asked_connections);
  json[kBudgetGiven] = profile.request.budget_given;
  return DumpJson(json);
}

Result<Profile> ReadProfileDocument(const std::string& document) {
  MLPROF_LET(json, ParseJson(document, kDocumentLimits));
  MLPROF_LET(profile, DecodeProfile(json));
  if (json.contains(kReruns)) {
    MLPROF_LET(reruns, DecodeReruns(json));
    profile.reruns = std::move(reruns);
  } else {
    profile.reruns = FormerReruns(profile.warnings);
  }
  MLPROF_LET(asked, DecodeAskedCeiling(json));
  profile.asked_ceiling = asked;
  const auto connections = json.find(kAskedConnections);
  if (connections != json.end() && connections->is_string()) {
    profile.asked_connections = ParseConnections(connections->get<std::string>());
  }
  profile.request.budget_given = BudgetWasGiven(json);
  return profile;
}

}  // namespace mlprof::server
