#include "server/azure/documents/driver_program.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

constexpr const char* kHere = "os.path.dirname(os.path.realpath(__file__))";

std::string Driver(const std::string& script, const std::string& folder = "",
                   const std::string& line_end = "\n") {
  std::string text = "import os" + line_end;
  if (!folder.empty()) {
    text += "sys.path.append(os.path.join(" + std::string(kHere) + ", " + folder + "))" + line_end;
  }
  return text + "script_location = os.path.join(" + kHere + ", " + script + ")" + line_end;
}

TEST(DriverProgram, NamesTheScriptAndItsFolder) {
  for (const char* line_end : {"\n", "\r\n"}) {
    const auto driver = ReadDriver(Driver("'src/score.py'", "'src'", line_end));
    ASSERT_TRUE(driver);
    EXPECT_EQ(driver->entry_script, "src/score.py");
    EXPECT_EQ(driver->source_directory, "src");
  }
  const auto quoted = ReadDriver(Driver("'score.py'", "\"it's\""));
  EXPECT_EQ(quoted->source_directory, "it's");
}

TEST(DriverProgram, NamesAScriptThatWasPutUpAlone) {
  const auto driver = ReadDriver(Driver("'score.py'"));
  ASSERT_TRUE(driver);
  EXPECT_EQ(driver->entry_script, "score.py");
  EXPECT_EQ(driver->source_directory, "");
}

TEST(DriverProgram, IsNothingElse) {
  for (const std::string& text :
       {std::string(), std::string("import x"), std::string("script_location = 'x'"),
        Driver("name"), Driver("'a\\\\x62.py'"), Driver("''")}) {
    EXPECT_FALSE(ReadDriver(text)) << text;
  }
}

}  // namespace
}  // namespace mlprof::server
