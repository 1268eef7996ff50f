#include "agent/relay/due_rows.h"

#include <utility>

namespace mlprof::agent {
namespace {

// Many times as far as rows are sent ahead: a time beyond it is of another clock.
constexpr std::chrono::seconds kLongestKept{1};

}  // namespace

bool DueRows::Keep(const agent_protocol::RowView& row, Clock::time_point now) {
  Clock::time_point due(row.due);
  if (due > now + kLongestKept) due = now;
  if (due <= now && rows_.empty()) return false;
  rows_.push_back({row.id, row.attribute, row.most_in_flight, due, std::string(row.body)});
  if (rows_.size() == 1) Watch();
  return true;
}

void DueRows::Watch() {
  timer_ = loop_.At(rows_.front().due, [this] {
    timer_ = {};
    LetLeave();
  });
}

void DueRows::LetLeave() {
  while (!rows_.empty()) {
    const auto now = Clock::now();
    if (rows_.front().due > now) return Watch();
    const Kept row = std::move(rows_.front());
    rows_.pop_front();
    leave_({row.id, row.attribute, row.body, {}, row.most_in_flight}, now);
  }
}

}  // namespace mlprof::agent
