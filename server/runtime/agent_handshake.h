// The beginning of an agent's connection.
#pragma once

#include "common/agent_protocol/frame.h"
#include "common/agent_protocol/messages.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/clock_offset.h"

namespace mlprof::server {

/// Makes `fd` non-blocking and waits for the Hello; what comes behind it stays in `decoder`.
/// kDeadlineExceeded when none comes, kCancelled when the caller gives up, kUnavailable when the
/// peer closes, kInvalidArgument for another protocol or version.
Result<agent_protocol::Hello> AwaitHello(int fd, agent_protocol::FrameDecoder& decoder,
                                         const Patience& patience);

/// Asks the agent for its clock some times, behind its Hello. Errors as of AwaitHello.
Result<ClockOffset> MeasureClockOffset(int fd, agent_protocol::FrameDecoder& decoder,
                                       const Patience& patience);

/// The agent's end of the stream, as an error.
Error ClosedByAgent();

}  // namespace mlprof::server
