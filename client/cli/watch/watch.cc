#include "client/cli/watch/watch.h"

#include <exception>
#include <thread>
#include <variant>

#include "client/cli/watch/interrupts.h"
#include "client/cli/watch/mailbox.h"
#include "common/os/start_thread.h"

namespace mlprof::client::cli {
namespace {

struct Interrupt {};
struct Reply {
  bool yes = false;
};
using Outcome = Result<Resource<Profile>>;
using Message = std::variant<ProfileUpdate, Interrupt, Reply, Outcome>;

constexpr std::chrono::seconds kTick{1};

class Watch {
 public:
  Watch(Client& follower, Client& control, std::string name, ProgressView& view,
        const WatchOptions& options)
      : follower_(follower),
        control_(control),
        name_(std::move(name)),
        view_(view),
        options_(options) {}

  Result<Watched> Run() {
    const std::shared_ptr<void> interrupts =
        options_.interrupts ? options_.interrupts([this] { mail_.Put(Interrupt{}); }) : nullptr;
    const auto following =
        StartThread("follow", [this](const std::stop_token& stop) { Follow(stop); });
    if (!following) return Fail(following.error().WithContext("the profile cannot be followed"));
    auto watched = Loop();
    asking_ = std::jthread();
    view_.Finish();
    return watched;
  }

 private:
  void Follow(const std::stop_token& stop) {
    Outcome ended = Fail(Internal("the profile can no longer be followed"));
    try {
      Profiles profiles = follower_.profiles();
      ended = FollowProfile(
          profiles, name_, [this](const ProfileUpdate& update) { mail_.Put(update); }, stop,
          options_.follow);
    } catch (const std::exception& error) {
      ended = Fail(ended.error().WithContext(error.what()));
    }
    mail_.Put(std::move(ended));
  }

  Result<Watched> Loop() {
    while (true) {
      auto message = mail_.Take(cancel_by_ ? cancel_by_->AtMost(kTick) : Deadline::After(kTick));
      if (!message) {
        view_.Tick();
      } else if (auto* update = std::get_if<ProfileUpdate>(&*message)) {
        view_.Show(*update);
      } else if (auto* ended = std::get_if<Outcome>(&*message)) {
        if (!*ended) return Fail(ended->error());
        return Watched{std::move(**ended), false};
      } else if (auto* reply = std::get_if<Reply>(&*message)) {
        OnReply(reply->yes);
      } else {
        OnInterrupt();
      }
      if (leave_) return Leave();
      if (cancel_by_ && cancel_by_->Passed()) {
        return Fail(DeadlineExceeded("the profile was asked to stop, but has not ended yet"));
      }
    }
  }

  void OnInterrupt() {
    if (cancel_by_) {
      leave_ = true;  // asked to stop already: do not wait for it
    } else if (is_asking_) {
      is_asking_ = false;
      asking_ = std::jthread();
      view_.Pause(false);
      NotAsked();
    } else if (options_.can_ask) {
      Ask();
    } else {
      NotAsked();
    }
  }

  void Ask() {
    auto asking = StartThread("question", [this](const std::stop_token& stop) {
      const bool yes = options_.reply(stop);
      if (!stop.stop_requested()) mail_.Put(Reply{yes});
    });
    if (!asking) return NotAsked();
    is_asking_ = true;
    view_.Say("Cancel the " + options_.subject.what +
              (options_.is_private ? "? [y/N] (Ctrl-C again cancels)"
                                   : "? [y/N] (Ctrl-C again leaves it running)"));
    view_.Pause(true);
    asking_ = *std::move(asking);
  }

  void NotAsked() { options_.is_private ? Cancel() : Detach(); }

  void OnReply(bool yes) {
    if (!is_asking_) return;
    is_asking_ = false;
    view_.Pause(false);
    if (yes) Cancel();
  }

  void Cancel() {
    view_.Say("cancelling; this takes a few seconds");
    cancel_by_ = Deadline::After(options_.cancel_wait);
    const Status cancelled = AskToCancel();
    // A conflict means that it has ended already, which the follower is about to tell.
    if (!cancelled && cancelled.error().code() != ErrorCode::kConflict) {
      view_.Say("cannot cancel: " + cancelled.error().message());
    }
  }

  Status AskToCancel() {
    if (options_.subject.cancel) return options_.subject.cancel(control_);
    const auto cancelled = control_.profiles().Cancel(name_);
    return cancelled ? Status() : Fail(cancelled.error());
  }

  void Detach() { leave_ = true; }

  Result<Watched> Leave() {
    MLPROF_LET(profile, control_.profiles().Get(name_));
    return Watched{std::move(profile), true};
  }

  Client& follower_;
  Client& control_;
  std::string name_;
  ProgressView& view_;
  const WatchOptions& options_;
  Mailbox<Message> mail_;
  std::jthread asking_;
  bool is_asking_ = false;
  bool leave_ = false;
  std::optional<Deadline> cancel_by_;
};

}  // namespace

Result<Watched> WatchProfile(Client& follower, Client& control, const std::string& name,
                             ProgressView& view, const WatchOptions& options) {
  return Watch(follower, control, name, view, options).Run();
}

Result<Watched> WatchHere(Session& session, Client& client, const std::string& name,
                          WatchSubject subject) {
  const auto followed = std::make_shared<LastExchange>();
  MLPROF_LET(follower, session.ConnectAside(followed));
  Surroundings& surroundings = session.surroundings();
  WatchOptions options;
  options.is_private = session.uses_private_server();
  options.can_ask = surroundings.can_ask;
  options.subject = std::move(subject);
  options.follow = surroundings.follow;
  options.interrupts = [](std::function<void()> on_interrupt) -> std::shared_ptr<void> {
    return std::make_shared<SignalWatch>(std::move(on_interrupt));
  };
  options.reply = ReplyOnStdin;
  const auto view = surroundings.err_is_terminal
                        ? TerminalView(surroundings.err, surroundings.columns)
                        : LineView(surroundings.err);
  auto watched = WatchProfile(follower, client, name, *view, options);
  // That the server is gone only the follower knows: this thread asked it nothing meanwhile.
  if (!watched && !followed->responded) session.TakeOver(*followed);
  return watched;
}

}  // namespace mlprof::client::cli
