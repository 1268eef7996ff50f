#include "common/agent_protocol/forward.h"

#include <type_traits>
#include <utility>

#include "common/agent_protocol/wire.h"

namespace mlprof::agent_protocol {
namespace {

Result<ForwardMessage> CheckedForward(const WireReader& in, bool sensible, ForwardMessage message) {
  if (!in.Finished() || !sensible) return Fail(InvalidArgument("malformed forward frame"));
  return message;
}

Result<ForwardMessage> DecodeForwardOpen(WireReader& in) {
  ForwardOpen open;
  open.stream = in.Get<std::uint32_t>();
  open.port = in.Get<std::uint16_t>();
  return CheckedForward(in, open.port != 0, open);
}

Result<ForwardMessage> DecodeForwardData(WireReader& in) {
  ForwardData data;
  data.stream = in.Get<std::uint32_t>();
  data.bytes = in.Rest();
  return CheckedForward(in, !data.bytes.empty() && data.bytes.size() <= kMaxForwardData, data);
}

Result<ForwardMessage> DecodeForwardCredit(WireReader& in) {
  ForwardCredit credit;
  credit.stream = in.Get<std::uint32_t>();
  credit.bytes = in.Get<std::uint32_t>();
  return CheckedForward(in, credit.bytes != 0 && credit.bytes <= kForwardWindow, credit);
}

Result<ForwardMessage> DecodeForwardEnd(WireReader& in) {
  const ForwardEnd end{in.Get<std::uint32_t>()};
  return CheckedForward(in, true, end);
}

Result<ForwardMessage> DecodeForwardClose(WireReader& in) {
  ForwardClose close;
  close.stream = in.Get<std::uint32_t>();
  const auto reason = in.Get<std::uint8_t>();
  close.reason = static_cast<ForwardClose::Reason>(reason);
  close.detail = in.Text();
  const bool sensible = reason <= static_cast<std::uint8_t>(ForwardClose::Reason::kFailed) &&
                        close.detail.size() <= kMaxForwardDetail;
  return CheckedForward(in, sensible, std::move(close));
}

}  // namespace

void Append(std::string& out, const ForwardOpen& open) {
  FrameScope frame(out, FrameType::kForwardOpen);
  WireWriter w(out);
  w.Put(open.stream);
  w.Put(static_cast<std::uint16_t>(open.port));
}

void Append(std::string& out, const ForwardData& data) {
  FrameScope frame(out, FrameType::kForwardData);
  WireWriter(out).Put(data.stream);
  out.append(data.bytes);
}

void Append(std::string& out, const ForwardCredit& credit) {
  FrameScope frame(out, FrameType::kForwardCredit);
  WireWriter w(out);
  w.Put(credit.stream);
  w.Put(credit.bytes);
}

void Append(std::string& out, const ForwardEnd& end) {
  FrameScope frame(out, FrameType::kForwardEnd);
  WireWriter(out).Put(end.stream);
}

void Append(std::string& out, const ForwardClose& close) {
  FrameScope frame(out, FrameType::kForwardClose);
  WireWriter w(out);
  w.Put(close.stream);
  w.Put(static_cast<std::uint8_t>(close.reason));
  w.Text(std::string_view(close.detail).substr(0, kMaxForwardDetail));
}

bool IsForward(FrameType type) {
  return type >= FrameType::kForwardOpen && type <= FrameType::kForwardClose;
}

Result<ForwardMessage> DecodeForward(const Frame& frame) {
  WireReader in(frame.payload);
  switch (frame.type) {
    case FrameType::kForwardOpen: return DecodeForwardOpen(in);
    case FrameType::kForwardData: return DecodeForwardData(in);
    case FrameType::kForwardCredit: return DecodeForwardCredit(in);
    case FrameType::kForwardEnd: return DecodeForwardEnd(in);
    default: return DecodeForwardClose(in);
  }
}

}  // namespace mlprof::agent_protocol
