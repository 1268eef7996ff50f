// Reads the query parameters of one request and collects every problem (as "/name" pointers), so
// that unknown, repeated and bad ones are all named at once. Used within one handler.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/http/message.h"
#include "common/json/json_reader.h"
#include "common/result/result.h"
#include "server/storage/page.h"

namespace mlprof::server {

class QueryReader {
 public:
  explicit QueryReader(const HttpRequest& request) : request_(request) {}

  /// "default" where it is not given.
  std::string Workspace();
  PageRequest Page();
  /// "" where it is not given.
  std::string Text(const std::string& name, TextCheck check = nullptr);
  std::string RequiredText(const std::string& name, TextCheck check);
  std::optional<int> Integer(const std::string& name, int low, int high);
  /// A percentage: above 0, and 100 at most.
  std::optional<double> Percent(const std::string& name);
  /// A finite number at or above 0.
  std::optional<double> Seconds(const std::string& name);
  std::vector<std::string> Repeated(const std::string& name);
  void Problem(const std::string& name, std::string detail);

  /// To be called last: refuses parameters nothing asked for. kInvalidArgument with all problems.
  Status Done();

 private:
  std::optional<std::string> Single(const std::string& name);

  const HttpRequest& request_;
  std::set<std::string> known_;
  std::vector<FieldError> problems_;
};

}  // namespace mlprof::server
