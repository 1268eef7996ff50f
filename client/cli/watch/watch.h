// Watches a profile until it ends or the user has had enough: with everything given, as tests need
// it, and from a command line.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "client/cli/session.h"
#include "client/cli/watch/progress_view.h"
#include "client/include/mlprof/client.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// What is cancelled where the one who watches asks for it.
struct WatchSubject {
  std::string what = "profile";
  /// In place of a cancel of the watched profile. kConflict: it has ended already.
  std::function<Status(Client& control)> cancel;
};

struct WatchOptions {
  bool is_private = false;  // the server ends with this command, so leaving means cancelling
  bool can_ask = false;
  std::chrono::milliseconds cancel_wait{20'000};  // for a cancelled profile to end
  /// Calls its argument, from any thread, at each interrupt; what it returns ends that.
  std::function<std::shared_ptr<void>(std::function<void()>)> interrupts;
  /// Waits for the reply to a yes-or-no question.
  std::function<bool(std::stop_token)> reply;
  FollowOptions follow;
  WatchSubject subject;
};

struct Watched {
  Resource<Profile> profile;  // finished, unless detached
  bool detached = false;
};

/// `follower` is used from another thread meanwhile, `control` from this one.
Result<Watched> WatchProfile(Client& follower, Client& control, const std::string& name,
                             ProgressView& view, const WatchOptions& options);

/// Watches from a command line: a bar on a terminal, a line per phase elsewhere, and Ctrl-C asks.
/// `client` is the session's own, used from this thread.
Result<Watched> WatchHere(Session& session, Client& client, const std::string& name,
                          WatchSubject subject = {});

}  // namespace mlprof::client::cli
