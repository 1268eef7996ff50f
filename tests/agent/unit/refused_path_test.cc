#include "agent/supervise/write_calls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace mlprof::agent {
namespace {

std::optional<RefusedWrite> Find(const std::string& given, WriteKind kind = WriteKind::kFile) {
  return FindRefused(::getpid(), AT_FDCWD, given, kind);
}

TEST(FindRefused, NeedsTheFolderThatHoldsTheName) {
  EXPECT_EQ(Find("/no/such/file"), (RefusedWrite{"/no/such/file", "/no/such"}));
  EXPECT_EQ(Find("/no/such/", WriteKind::kName), (RefusedWrite{"/no/such", "/no"}));
  EXPECT_EQ(Find("/no/../none/./x"), (RefusedWrite{"/none/x", "/none"}));
}

TEST(FindRefused, NoFolderHelpsAFileBelowTheRootAlone) {
  EXPECT_EQ(Find("/none.db"), (RefusedWrite{"/none.db", ""}));
  EXPECT_EQ(Find("/none", WriteKind::kName), (RefusedWrite{"/none", ""})) << "as mkdir does";
}

TEST(FindRefused, AFolderThatIsThereAlreadyMayBeItself) {
  EXPECT_EQ(Find("/usr"), (RefusedWrite{"/usr", "/usr"}));
}

TEST(FindRefused, RemovingWhatIsNotThereNeedsNothing) {
  EXPECT_FALSE(Find("/no/such/file", WriteKind::kRemoval));
  EXPECT_EQ(Find("/usr/lib", WriteKind::kRemoval), (RefusedWrite{"/usr/lib", "/usr"}));
}

TEST(FindRefused, LeavesTheKernelsFilesAndOurOwnOut) {
  for (const char* path : {"/proc/sys/kernel/x", "/sys/fs/x", "/dev/x", "/.mlprof/x", "/", ""}) {
    EXPECT_FALSE(Find(path)) << path;
  }
}

TEST(FindRefused, KnowsNothingOfAProcessThatIsGone) {
  EXPECT_FALSE(FindRefused(-1, AT_FDCWD, "x", WriteKind::kFile));
}

}  // namespace
}  // namespace mlprof::agent
