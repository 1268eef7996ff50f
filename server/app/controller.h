// The composition root: builds every part from the options, in order, and stops them in the
// opposite one. The only place that names concrete classes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "server/app/options.h"

namespace mlprof {

class Controller {
 public:
  /// Opens the data directory, recovers what a former server left, and listens.
  static Result<std::unique_ptr<Controller>> Start(const ServerOptions& options);
  /// Stops (see Stop).
  ~Controller();

  /// "http://127.0.0.1:8080", then "https://…" where it listens for TLS too.
  std::vector<std::string> urls() const;
  /// Orderly: no new requests, the running profile's container removed and the profile back in the
  /// queue, everything committed. Takes seconds at the most.
  void Stop();

 private:
  struct Parts;
  explicit Controller(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace mlprof
