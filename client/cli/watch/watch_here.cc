#include "client/cli/watch/watch_here.h"

#include "client/cli/watch/interrupts.h"

namespace mlprof::client::cli {

Result<Watched> WatchHere(Session& session, Client& client, const std::string& name) {
  MLPROF_LET(follower, session.ConnectAside());
  Surroundings& surroundings = session.surroundings();
  WatchOptions options;
  options.is_private = session.uses_private_server();
  options.can_ask = surroundings.can_ask;
  options.interrupts = [](std::function<void()> on_interrupt) -> std::shared_ptr<void> {
    return std::make_shared<SignalWatch>(std::move(on_interrupt));
  };
  options.answer = AnswerOnStdin;
  const auto view = surroundings.err_is_terminal
                        ? TerminalView(surroundings.err, surroundings.columns)
                        : LineView(surroundings.err);
  return WatchProfile(follower, client, name, *view, options);
}

}  // namespace mlprof::client::cli
