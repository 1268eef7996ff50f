#include "client/cli/commands/header_option.h"

#include <filesystem>

namespace mlprof::client::cli {

OptionSpec HeaderOption() {
  return {{"--header"},
          "WORD",
          "of a .csv: present (its first line is no request) or none (the default, with a warning "
          "where it looks like one)"};
}

Result<CsvHeader> HeaderOf(const Options& options, const std::string& file) {
  if (!options.Has("--header")) return CsvHeader::kUnsaid;
  const std::string word = options.Text("--header");
  if (word != "present" && word != "none") {
    return Fail(InvalidArgument("--header must be present or none, not '" + word + "'"));
  }
  std::error_code error;
  if (!std::filesystem::exists(file, error) || !RowsMediaType(file).starts_with("text/csv")) {
    return Fail(InvalidArgument("--header is for a .csv file; " + file + " is none"));
  }
  return word == "present" ? CsvHeader::kPresent : CsvHeader::kNone;
}

}  // namespace mlprof::client::cli
