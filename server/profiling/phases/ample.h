// The container at the ceiling that the measuring phases share, and the rows that end it: such a
// row is named and left out, and what follows goes on without it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/analysis/fatal_growth.h"
#include "server/profiling/lab/lab.h"

namespace mlprof::server::phases {

/// Rows that ended the model, or a process of it.
struct RowKills {
  std::vector<std::uint32_t> rows;  // in the order they were met; left out from then on
  std::string death;                // of the last of them, in words
};

class Ample {
 public:
  /// One container after the other, each set up so.
  Ample(Lab& lab, const Setup& setup) : lab_(lab), setup_(setup) {}

  /// A fresh one, its model not started yet, in place of the former.
  PhaseResult<void> Launch(PageCache page_cache);
  Container& container() { return *container_; }
  /// A fresh container in place of one that would soon be killed for what it has leaked.
  PhaseResult<void> Renew();
  /// Whether a model that was killed for memory had grown into the ceiling.
  std::optional<FatalGrowth> FindGrowth() const;
  /// The most that the model mapped of files; nothing of one that served no row.
  Bytes MappedFile() const;
  /// From the next launch on the model may write to a copy of the folder.
  void GiveFolder(const RefusedWrite& write) { setup_.given.push_back(write); }

  /// After a replay at concurrency 1 that ends at a kill. False: the model is as it was (or the
  /// replay was stopped, which CheckTarget tells). True: a row had ended it or a process of it;
  /// that row is among the kills now, and the model serves: in a fresh container, or in the same
  /// where it has replaced the process itself. The end of the run where too many rows do, or no row
  /// is to blame.
  PhaseResult<bool> ReplaceKilled(const ReplayResult& replay);

  const Setup& setup() const { return setup_; }
  const RowKills& kills() const { return kills_; }
  std::set<std::uint32_t> left_out() const { return {kills_.rows.begin(), kills_.rows.end()}; }
  /// That the model took, one at a time.
  std::optional<std::uint32_t> last_row() const { return last_row_; }

  /// To be called when the phases are through, whatever became of them.
  void Close() {
    if (container_) container_->Close();
  }

 private:
  void SeeLastRow(const ReplayResult& replay);
  bool MayLeaveOut(std::uint32_t row) const;
  PhaseResult<bool> GiveUp(const ReplayResult& replay, const DeathEvidence& death);
  PhaseResult<bool> StartFresh();

  Lab& lab_;
  Setup setup_;
  std::unique_ptr<Container> container_;
  RowKills kills_;
  std::optional<std::uint32_t> last_row_;
  bool last_row_broke_ = false;  // its connection did
};

}  // namespace mlprof::server::phases
