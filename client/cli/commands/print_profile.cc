#include "client/cli/commands/print_profile.h"

#include "client/cli/output/profile_details.h"
#include "client/cli/output/tables.h"

namespace mlprof::client::cli {

void PrintProfile(Session& session, const Resource<Profile>& profile) {
  session.Print(JsonOfText(profile.json), ProfileTable({profile}), ProfileDetails(profile.value));
}

}  // namespace mlprof::client::cli
