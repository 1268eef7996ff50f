// The composition root: builds every part from the options, in order, and stops them in the
// opposite one. The only place that names concrete classes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "server/app/lifetime.h"
#include "server/app/options.h"

namespace mlprof::server {

class Controller {
 public:
  /// Opens the data directory and listens; then, in the background, asks the engine and recovers
  /// what a former server left. Does not wait for the engine.
  static Result<std::unique_ptr<Controller>> Start(const ServerOptions& options);
  /// Ends without a limit of time; Stop() first ends what is going on in good order.
  ~Controller();

  /// "http://127.0.0.1:8080", then "https://…" where it listens for TLS too.
  std::vector<std::string> urls() const;
  /// Orderly: the running profile's container removed and the profile back in the queue, responses
  /// in flight finished, everything committed. Names its steps to `limit`. A second call does
  /// nothing.
  void Stop(StopLimit& limit);

 private:
  struct Parts;
  explicit Controller(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace mlprof::server
