#include "client/cli/exit_status.h"

#include <algorithm>

namespace mlprof::client::cli {
namespace {

class ObservedTransport : public RestTransport {
 public:
  ObservedTransport(std::unique_ptr<RestTransport> transport, std::shared_ptr<LastExchange> last)
      : transport_(std::move(transport)), last_(std::move(last)) {}

  Result<RestResponse> Send(const RestRequest& request) override {
    return Noted(transport_->Send(request));
  }
  Result<RestResponse> Stream(const RestRequest& request, const BodySink& sink) override {
    return Noted(transport_->Stream(request, sink));
  }

 private:
  Result<RestResponse> Noted(Result<RestResponse> response) {
    last_->responded = response.has_value();
    last_->refused = response.has_value() && !response->ok();
    return response;
  }

  std::unique_ptr<RestTransport> transport_;
  std::shared_ptr<LastExchange> last_;
};

}  // namespace

std::unique_ptr<RestTransport> Observed(std::unique_ptr<RestTransport> transport,
                                        std::shared_ptr<LastExchange> last) {
  return std::make_unique<ObservedTransport>(std::move(transport), std::move(last));
}

int ExitStatusOf(const Error& error, const LastExchange& last) {
  switch (error.code()) {
    case ErrorCode::kNotFound: return kNotFoundStatus;
    case ErrorCode::kNotAvailable: return kWrongUse;
    case ErrorCode::kInvalidArgument: return last.refused ? kRefused : kWrongUse;
    case ErrorCode::kUnavailable:
    case ErrorCode::kDeadlineExceeded: return last.responded ? kRefused : kOutOfReach;
    default: return kRefused;
  }
}

int ExitStatusOf(const Profile& profile) {
  if (profile.state == ProfileState::kSucceeded && profile.no_answer) return kNoAnswer;
  if (profile.state != ProfileState::kSucceeded || !profile.recommendation) return kRefused;
  return profile.recommendation->verified ? kDone : kNotVerified;
}

int ExitStatusOf(const VariantComparison& comparison) {
  if (comparison.state != ComparisonState::kSucceeded) return kRefused;
  if (comparison.choice) return kDone;
  const auto any = [&](VariantOutcome outcome) {
    return std::ranges::count(comparison.results, outcome, &VariantResult::outcome) > 0;
  };
  if (any(VariantOutcome::kUnproven)) return kNotVerified;
  return any(VariantOutcome::kNoAnswer) ? kNoAnswer : kRefused;
}

}  // namespace mlprof::client::cli
