// What is asked of the folders of environments, without an installation.
#include "server/runtime/process/environment/python_environment.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server::process {
namespace {

class KeptEnvironments : public testing::Test {
 protected:
  void File(const std::string& hash, const std::string& name, const std::string& text) {
    std::filesystem::create_directories(context_.EnvironmentOf(hash));
    std::ofstream(context_.EnvironmentOf(hash) / name) << text;
  }
  bool Has(const std::string& hash) const {
    return std::filesystem::exists(context_.EnvironmentOf(hash));
  }
  int Remove() {
    return RemoveUnfinishedEnvironments(context_, Deadline::After(std::chrono::seconds(10)));
  }

  TemporaryDirectory directory_;
  ProcessContext context_{{"/bin/mlprof-agent", directory_.path(), "0123456789abcdef"}, {}};
};

TEST_F(KeptEnvironments, AreThoseThatWereFinished) {
  File("finished", "environment.json", R"({"python": "3.11.2", "bytes": 1})");
  File("killed", "variables", "export PIP_INDEX_URL=https://user:password@index.example/");
  File("torn", "environment.json", R"({"python": "3.1)");
  EXPECT_EQ(Remove(), 2);
  EXPECT_TRUE(Has("finished"));
  EXPECT_FALSE(Has("killed"));
  EXPECT_FALSE(Has("torn"));
}

TEST_F(KeptEnvironments, AreAllLeftWhileOneIsPrepared) {
  File("unfinished", "variables", "");
  {
    const auto turn = context_.preparing.Enter(Deadline::After(std::chrono::seconds(10)));
    ASSERT_TRUE(turn);
    EXPECT_EQ(RemoveUnfinishedEnvironments(context_, Deadline::After(std::chrono::milliseconds(0))),
              0);
  }
  EXPECT_TRUE(Has("unfinished"));
  EXPECT_EQ(Remove(), 1);
}

TEST_F(KeptEnvironments, AreNoneWhereNoneWasMade) { EXPECT_EQ(Remove(), 0); }

}  // namespace
}  // namespace mlprof::server::process
