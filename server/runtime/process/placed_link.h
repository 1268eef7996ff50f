// The link with an agent whose start is put into terms of this machine.
#pragma once

#include <memory>
#include <utility>

#include "server/runtime/agent_link.h"
#include "server/runtime/process/placed_start.h"

namespace mlprof::server::process {

/// Thread-safe, as the link it wraps.
class PlacedLink final : public AgentLink {
 public:
  PlacedLink(std::unique_ptr<AgentLink> link, StartPlacement placement)
      : link_(std::move(link)), placement_(std::move(placement)) {}

  void Listen(AgentListener* listener) override { link_->Listen(listener); }
  void Start(const agent_protocol::Start& start) override {
    link_->Start(PlacedStart(start, placement_));
  }
  void SetConnections(const agent_protocol::Connections& connections) override {
    link_->SetConnections(connections);
  }
  void SendRow(agent_protocol::Row row) override { link_->SendRow(std::move(row)); }
  void TakeCensus(const agent_protocol::CensusQuestion& question) override {
    link_->TakeCensus(question);
  }
  void Stop(const agent_protocol::Stop& stop) override { link_->Stop(stop); }
  Result<std::unique_ptr<PortStream>> Connect(int port, Deadline deadline) override {
    return link_->Connect(port, deadline);
  }

 private:
  const std::unique_ptr<AgentLink> link_;
  const StartPlacement placement_;
};

}  // namespace mlprof::server::process
