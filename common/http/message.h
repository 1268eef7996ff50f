// HTTP messages as plain values. Beast stays inside common/http's .cc files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/text/ascii.h"
#include "common/units/bytes.h"

namespace mlprof {

/// Field lines in order; names compare without case.
class HttpHeaders {
 public:
  void Add(std::string name, std::string value);
  void Set(std::string name, std::string value);  // in place of all of that name
  void Remove(std::string_view name);
  std::optional<std::string> Get(std::string_view name) const;  // the first of that name
  std::vector<std::string> GetAll(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// An upload that was streamed to disk. The file is deleted when the last copy of `file` goes,
/// unless someone moved it away first.
struct SpooledBody {
  std::shared_ptr<const std::filesystem::path> file;
  Bytes size;
  std::string sha256;  // hex
};

struct HttpRequest {
  std::string method;
  std::string target;                                      // as sent
  std::string path;                                        // before '?', not decoded
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
  std::map<std::string, std::string> path_parameters;      // {name} → decoded once
  HttpHeaders headers;
  std::variant<std::string, SpooledBody> body;
  std::string remote_address;  // the peer's IP address; "" where it has gone already
  bool over_tls = false;

  /// The first value of a query parameter.
  std::optional<std::string> Query(std::string_view name) const;
  std::vector<std::string> QueryAll(std::string_view name) const;
  /// The buffered body ("" where it was spooled).
  const std::string& BodyText() const;
};

/// A response body made while it is sent (Server-Sent Events). Calls come from the server's workers
/// and may wait for a disk; each Read comes after what the one before gave is with the kernel, so
/// that a slow client makes nobody keep more than one piece. `ready` may be called from any thread
/// and at any time, also inside OnReady (the next Read may then come before it returns) and after
/// the server is gone, once per OnReady. The server lets go of the stream at its end, when the
/// client goes or is too slow, and when the server stops, in each case after a call under way.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  /// Bytes to send now; "" when there are none yet; nullopt at the end.
  virtual std::optional<std::string> Read() = 0;
  /// Called after Read gave "": asks for one call of `ready` when Read has something new to say (at
  /// once, if it came in between).
  virtual void OnReady(std::function<void()> ready) = 0;
};

struct FileBody {
  std::filesystem::path file;
  std::uint64_t offset = 0;                  // where it begins
  std::optional<std::uint64_t> length = {};  // absent: to the end
  // Its owner, where it may be removed before it is open.
  std::shared_ptr<const std::filesystem::path> keep = {};
};

struct HttpResponse {
  int status = 200;
  HttpHeaders headers;
  std::variant<std::string, FileBody, std::shared_ptr<BodyStream>> body;
};

HttpResponse TextResponse(int status, std::string content_type, std::string body);

}  // namespace mlprof
