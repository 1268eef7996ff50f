// What to replay, and what came of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/agent_protocol/messages.h"
#include "common/domain/objective.h"
#include "common/result/result.h"
#include "server/analysis/latency.h"

namespace mlprof::server {

/// Longer than this process is kept from a core on most machines, and short, as rows wait for it in
/// the container's memory. Chosen, not measured.
inline constexpr std::chrono::milliseconds kSentAhead{10};

/// A row that leaves so long after it was due is late; what is less is a timer's jitter.
inline constexpr std::chrono::milliseconds kLateAfter{1};

/// Rows are sent at the times of a schedule, whether or not earlier ones were answered. A backlog
/// (no thread could run, or max_in_flight was reached) leaves at twice its own pace at most,
/// but for what the agent kept while no core was given to it.
struct OpenLoop {
  double requests_per_second = 1;  // positive
  Arrivals arrivals = {};
  std::uint64_t seed = 1;  // of random arrivals
  /// Of recorded arrivals: from where most of them come within so long. Zero: from where the seed
  /// draws.
  std::chrono::nanoseconds busiest{0};
  /// Beyond it a row waits, and its latency still counts from its time. As many connections as the
  /// agent opens (agent_protocol::kMaxConnections).
  int max_in_flight = 1024;
  /// Rows are sent so long before they are due, and leave by the agent's clock. No waking of this
  /// process is in their latency then, and it wakes for several of them.
  std::chrono::nanoseconds ahead{0};
};

/// Rows are sent in `order`, over and over, until one of the limits that are set is reached; what
/// is in flight then is still awaited. At least one limit must be set.
struct ReplayPlan {
  std::vector<std::uint32_t> order;   // indices into the dataset; not empty
  int concurrency = 1;                // closed loop: so many in flight at any time
  std::optional<OpenLoop> open_loop;  // instead of `concurrency`
  agent_protocol::Connections connections = {};
  bool attribute = false;  // per-row CPU and memory; only with concurrency 1
  /// Ends with a row that a process of the model died of; only with concurrency 1, as with more the
  /// agent may keep a row that the model never had.
  bool ends_at_kill = false;
  /// Rows of a replay that was given up may still be with the model: a row that is to leave once
  /// fewer are would wait for those.
  bool others_in_flight = false;
  std::optional<std::size_t> max_requests;
  std::optional<std::chrono::nanoseconds> max_time;  // no row is sent after it; one may be kept
  /// With max_time: go on after it until so many requests are done, but not past hard_max_time.
  std::size_t min_requests = 0;
  std::optional<std::chrono::nanoseconds> hard_max_time;
};

struct RequestRecord {
  std::uint32_t row = 0;
  /// Intended send (of a row that the agent kept, its leaving) to the response's last byte, read
  /// off at the agent (one kernel, one clock); on the controller's arrival where that cannot be
  /// true. Attributed rows: from the agent's reading.
  std::uint32_t latency_us = 0;
  std::uint32_t service_us = 0;  // first byte sent to last byte received, inside the container
  /// Open loop: actual send after the scheduled moment; latency counts from the latter.
  std::uint32_t lag_us = 0;
  std::optional<std::uint32_t> cpu_us;
  std::optional<Bytes> peak_rise;  // see agent_protocol::Response
  std::uint16_t http_status = 0;
  agent_protocol::RowFailure failure = agent_protocol::RowFailure::kNone;
  std::chrono::nanoseconds due{0};  // CLOCK_MONOTONIC; the latency counts from here

  bool Succeeded() const {
    return failure == agent_protocol::RowFailure::kNone && http_status >= 200 && http_status < 300;
  }
};

/// The first request that failed, kept as evidence.
struct FirstFailure {
  std::uint32_t row = 0;
  int http_status = 0;
  agent_protocol::RowFailure failure = agent_protocol::RowFailure::kNone;
  std::string body;  // first 2 KiB
};

/// Those that succeeded, in their order.
std::vector<Visit> VisitsOf(std::span<const RequestRecord> requests);

struct ReplayResult {
  std::vector<RequestRecord> requests;  // answered ones, in the order of their responses
  std::chrono::nanoseconds began{0};    // CLOCK_MONOTONIC, as samples carry
  std::chrono::nanoseconds ended{0};
  std::int64_t failures = 0;
  std::optional<FirstFailure> first_failure;
  std::optional<std::uint32_t> last_sent;  // row, that had left when the replay ended
  std::optional<std::uint32_t> killer;     // ends_at_kill: the row that a process died of
  std::int64_t late = 0;                   // open loop: rows that left later than kLateAfter
  std::chrono::nanoseconds last_due{0};    // when the last row that left was due
  std::int64_t unsent = 0;                 // open loop: rows due before the end that never left
  std::optional<Error> unread;             // why a row could not be read: nothing of the model's
  bool target_lost = false;                // the model or the agent died meanwhile
  bool stopped = false;                    // the caller asked to stop
  bool cut_off = false;                    // the deadline passed with rows still unanswered
  bool futile = false;  // so it did early: the model read its files back all the time instead

  double Seconds() const { return std::chrono::duration<double>(ended - began).count(); }
  /// The row that the model had last where it died: the first of the rows at the
  /// end whose connection broke or was refused, else the last sent.
  std::optional<std::uint32_t> LastRowTaken() const;
  std::vector<std::uint32_t> SuccessLatencies() const;
};

/// Those of the rows that count: of a load that ended within its first pass over the rows, those of
/// the blocks that it went through to their end (server/analysis/row_order.h).
std::vector<RequestRecord> InWholeBlocks(const ReplayPlan& plan,
                                         const std::vector<RequestRecord>& requests);
/// Of them, those that succeeded: what percentiles are taken of.
std::vector<Visit> CountedVisits(const ReplayPlan& plan, const ReplayResult& replay);

}  // namespace mlprof::server
