#include "server/runtime/process/permissions.h"

#include <gtest/gtest.h>

namespace mlprof::server::process {
namespace {

LimitsHere AllLimits() { return {true, true, ""}; }

TEST(Permissions, AlwaysTellThatAProcessIsNoContainer) {
  const auto warnings = WarningsOf({Apart::kAsRoot, "", AllLimits()});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "notIsolated");
  EXPECT_EQ(warnings[0].message.find("network"), std::string::npos) << warnings[0].message;
  EXPECT_NE(warnings[0].message.find("disk"), std::string::npos) << warnings[0].message;
}

TEST(Permissions, TellWhatAModelSharesWithoutNamespaces) {
  const auto warnings = WarningsOf({Apart::kNot, "Operation not permitted", AllLimits()});
  ASSERT_EQ(warnings.size(), 1u);
  for (const char* word : {"network", "/tmp", "processes", "Operation not permitted"}) {
    EXPECT_NE(warnings[0].message.find(word), std::string::npos) << word;
  }
  EXPECT_NE(warnings[0].advice.find("root"), std::string::npos);
}

TEST(Permissions, TellWhoseFilesAModelReaches) {
  const auto message = [](Apart apart) {
    return WarningsOf({apart, "", AllLimits()}).front().message;
  };
  EXPECT_NE(message(Apart::kAsRoot).find("read what every user"), std::string::npos);
  EXPECT_NE(message(Apart::kAsUser).find("read what the server's user"), std::string::npos);
  EXPECT_NE(message(Apart::kNot).find("read and change"), std::string::npos);
}

TEST(Permissions, TellWhichLimitIsMissingAndHowToGetIt) {
  const auto message = [](bool cpu, bool memory) {
    const auto warnings = WarningsOf({Apart::kAsUser, "", {cpu, memory, "Permission denied"}});
    EXPECT_EQ(warnings.size(), 2u);
    EXPECT_EQ(warnings.back().code, "limitsNotHeld");
    EXPECT_NE(warnings.back().advice.find("Delegate=yes"), std::string::npos);
    return warnings.back().message;
  };
  EXPECT_NE(message(false, false).find("limit CPU and memory of"), std::string::npos);
  EXPECT_NE(message(true, false).find("limit memory of"), std::string::npos);
  EXPECT_NE(message(false, true).find("limit CPU of"), std::string::npos);
  EXPECT_NE(message(false, false).find("Permission denied"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server::process
