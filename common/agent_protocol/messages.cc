#include "common/agent_protocol/messages.h"

namespace mlprof::agent_protocol {

std::string_view Name(RowFailure failure) {
  switch (failure) {
    case RowFailure::kNone: return "none";
    case RowFailure::kConnect: return "connect";
    case RowFailure::kReset: return "reset";
    case RowFailure::kTimeout: return "timeout";
    case RowFailure::kMalformed: return "malformed";
    case RowFailure::kUnasked: return "unasked";
    case RowFailure::kTooLarge: return "tooLarge";
  }
  return "unknown";
}

std::string_view Name(ProcessEvent::Kind kind) {
  switch (kind) {
    case ProcessEvent::Kind::kStarted: return "started";
    case ProcessEvent::Kind::kStartFailed: return "startFailed";
    case ProcessEvent::Kind::kExited: return "exited";
    case ProcessEvent::Kind::kChildDied: return "childDied";
    case ProcessEvent::Kind::kOomKill: return "oomKill";
    case ProcessEvent::Kind::kNotReady: return "notReady";
    case ProcessEvent::Kind::kWriteRefused: return "writeRefused";
    case ProcessEvent::Kind::kToldToEnd: return "toldToEnd";
  }
  return "unknown";
}

}  // namespace mlprof::agent_protocol
