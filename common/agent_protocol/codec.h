// Messages as frames and back. Append writes a whole frame, header included, at the end of `out`;
// the decoders take one frame's payload and refuse anything that is not exactly one message
// (kInvalidArgument). Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/agent_protocol/frame.h"
#include "common/agent_protocol/messages.h"

namespace mlprof::agent_protocol {

void Append(std::string& out, const Hello& hello);
void Append(std::string& out, const ClockProbe& probe);
void Append(std::string& out, const ClockReading& reading);
void Append(std::string& out, const Start& start);
void Append(std::string& out, const Ready& ready);
void Append(std::string& out, const Connections& connections);
void Append(std::string& out, const CensusQuestion& question);
void Append(std::string& out, const Processes& processes);
void Append(std::string& out, const Row& row);
void Append(std::string& out, const Response& response);
void Append(std::string& out, const Sample& sample);
void Append(std::string& out, const ProcessEvent& event);
void Append(std::string& out, const Stop& stop);

/// A row whose body still lies in the frame.
struct RowView {
  std::uint64_t id = 0;
  bool attribute = false;
  std::string_view body;
  std::chrono::nanoseconds due{0};
  std::uint32_t most_in_flight = 0;
};

/// One of another version is read no further than its version: the rest may be anything.
Result<Hello> DecodeHello(std::string_view payload);
Result<ClockProbe> DecodeClockProbe(std::string_view payload);
Result<ClockReading> DecodeClockReading(std::string_view payload);
Result<Start> DecodeStart(std::string_view payload);
Result<Ready> DecodeReady(std::string_view payload);
Result<Connections> DecodeConnections(std::string_view payload);
Result<CensusQuestion> DecodeCensusQuestion(std::string_view payload);
Result<Processes> DecodeProcesses(std::string_view payload);
Result<RowView> DecodeRow(std::string_view payload);
Result<Response> DecodeResponse(std::string_view payload);
Result<Sample> DecodeSample(std::string_view payload);
Result<ProcessEvent> DecodeProcessEvent(std::string_view payload);
Result<Stop> DecodeStop(std::string_view payload);

}  // namespace mlprof::agent_protocol
