// An AgentListener that keeps what the agent says and waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "server/runtime/agent_link.h"

namespace mlprof::fakes {

/// Thread-safe. Every wait gives up after half a minute.
class HeardAgent final : public server::AgentListener {
 public:
  void OnResponse(const agent_protocol::Response& response) override {
    Note([&] { responses_.push_back(response); });
  }
  void OnSample(const Sample&) override {}
  void OnReady(const agent_protocol::Ready&) override {
    Note([&] { ready_ = true; });
  }
  void OnProcessEvent(const agent_protocol::ProcessEvent& event) override {
    Note([&] { events_.push_back(event); });
  }
  void OnClosed(const Error&) override {
    Note([&] { closed_ = true; });
  }

  bool AwaitReady() {
    return Await([&] { return ready_; });
  }
  bool AwaitResponses(std::size_t count) {
    return Await([&] { return responses_.size() >= count; });
  }
  bool AwaitEvent(agent_protocol::ProcessEvent::Kind kind) {
    return Await([&] {
      for (const auto& event : events_) {
        if (event.kind == kind) return true;
      }
      return false;
    });
  }
  bool AwaitClosed() {
    return Await([&] { return closed_; });
  }
  std::vector<agent_protocol::Response> responses() {
    const std::lock_guard lock(mutex_);
    return responses_;
  }

 private:
  template <class Change>
  void Note(const Change& change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    heard_.notify_all();
  }
  template <class Condition>
  bool Await(const Condition& condition) {
    std::unique_lock lock(mutex_);
    return heard_.wait_for(lock, std::chrono::seconds(30), condition);
  }

  std::mutex mutex_;
  std::condition_variable heard_;
  std::vector<agent_protocol::Response> responses_;
  std::vector<agent_protocol::ProcessEvent> events_;
  bool ready_ = false;
  bool closed_ = false;
};

}  // namespace mlprof::fakes
