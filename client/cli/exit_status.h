// The exit statuses of the command line, and which error gives which.
#pragma once

#include <memory>

#include "client/include/mlprof/transport.h"
#include "common/domain/profile.h"
#include "common/domain/variant_comparison.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

inline constexpr int kDone = 0;
inline constexpr int kRefused = 1;  // the profile failed, or the server refused
inline constexpr int kWrongUse = 2;
inline constexpr int kNotFoundStatus = 3;
inline constexpr int kOutOfReach = 4;
inline constexpr int kNotVerified = 5;
inline constexpr int kNoAnswer = 6;  // the model runs, and no limit holds what was asked

/// How the last exchange with the server went. An error alone does not tell a server that refuses
/// from one that is not there, or from wrong use that was noticed here.
struct LastExchange {
  bool responded = false;
  bool refused = false;
};

/// Passes everything on and notes the outcome in `last`.
std::unique_ptr<RestTransport> Observed(std::unique_ptr<RestTransport> transport,
                                        std::shared_ptr<LastExchange> last);

int ExitStatusOf(const Error& error, const LastExchange& last);
/// Of a finished profile.
int ExitStatusOf(const Profile& profile);
/// Of a finished comparison: that of the best that one of its variants came to.
int ExitStatusOf(const VariantComparison& comparison);

}  // namespace mlprof::client::cli
