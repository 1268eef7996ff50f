// A PortStream over one of an agent connection's forwarded streams.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "server/runtime/forward/forward_streams.h"
#include "server/runtime/forward/port_stream.h"

namespace mlprof::server {

class CarriedStream final : public PortStream {
 public:
  /// Errors as of ForwardStreams::Open.
  static Result<std::unique_ptr<PortStream>> Open(std::shared_ptr<ForwardStreams> streams, int port,
                                                  Deadline deadline) {
    MLPROF_LET(stream, streams->Open(port, deadline));
    return std::unique_ptr<PortStream>(new CarriedStream(std::move(streams), std::move(stream)));
  }
  ~CarriedStream() override { streams_->Close(*stream_); }

  Result<std::string> Read(Deadline deadline) override {
    return streams_->Read(*stream_, deadline);
  }
  Status Write(std::string_view bytes, Deadline deadline) override {
    return streams_->Write(*stream_, bytes, deadline);
  }
  void CloseWrite() override { streams_->CloseWrite(*stream_); }
  void Close() override { streams_->Close(*stream_); }

 private:
  CarriedStream(std::shared_ptr<ForwardStreams> streams, ForwardStreams::Stream stream)
      : streams_(std::move(streams)), stream_(std::move(stream)) {}

  const std::shared_ptr<ForwardStreams> streams_;
  const ForwardStreams::Stream stream_;
};

}  // namespace mlprof::server
