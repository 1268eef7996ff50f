// The operations that ran on the devices of a trace, each with its time, floating-point operations
// and bytes, summed over all runs on all devices. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/devices/xspace/planes.h"
#include "server/devices/xspace/time_limit.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

/// What a device can do at most, as its plane tells; 0 for what it does not tell.
struct DevicePeaks {
  double flops_per_second = 0;
  double hbm_bytes_per_second = 0;
  double cmem_read_bytes_per_second = 0;
  double cmem_write_bytes_per_second = 0;
  double vmem_read_bytes_per_second = 0;
  double vmem_write_bytes_per_second = 0;
};

/// Bytes that an operation moved, by where they lie.
struct BytesMoved {
  double all = 0;
  double hbm = 0;
  double cmem_read = 0;
  double cmem_write = 0;
  double vmem_read = 0;
  double vmem_write = 0;

  void Add(const BytesMoved& other, double times);
};

/// The longest text that is told of an operation, but for its names.
inline constexpr std::size_t kLongestOpText = 16'384;
inline std::string_view CutOpText(std::string_view text) { return text.substr(0, kLongestOpText); }

struct Op {
  std::uint64_t program_id = 0;
  std::uint64_t symbol_id = 0;
  std::string name;  // "fusion.3"
  // In the trace's bytes:
  std::string_view text;        // the whole instruction, where it is told
  std::string_view category;    // "convolution fusion"
  std::string_view provenance;  // "jit(step)/jit(main)/add:"
  std::string_view deduplicated_name;
  std::string_view shape;   // with its layout
  std::string_view source;  // "file:line"
  double occurrences = 0;
  double time_ps = 0;  // what is nested in it included
  double self_ps = 0;
  double dma_stall_ps = 0;
  double flops = 0;
  double model_flops = 0;
  BytesMoved bytes;
  // What the runs of a custom call have told of themselves, beyond what its name tells of each:
  double flops_beyond = 0;
  double model_flops_beyond = 0;
  double bytes_beyond = 0;
  std::vector<Op> fused;  // what a fusion consists of: one occurrence each, without times

  bool HasChildren() const { return time_ps - self_ps > 0.5; }
};

struct OpTable {
  Hardware hardware = Hardware::kCpu;
  std::string device_type;  // "TPU v5 Lite"
  int devices = 0;          // cores of a TPU, GPUs
  DevicePeaks peaks;        // of one of them
  std::vector<Op> ops;
  double total_ps = 0;  // from the first operation to the last, summed over the devices
  double busy_ps = 0;   // computing, summed over the chips: without waiting for input or output
  double chip_ps = 0;   // what busy_ps is a share of
  std::map<std::uint64_t, std::string> programs;  // "jit_step" by id

  double SelfPs() const;
  double IdlePs() const { return total_ps > SelfPs() ? total_ps - SelfPs() : 0; }
};

OpTable CollectOps(const Trace& trace, const TimeLimit& time = {});

/// The id in a program's name, "jit_step(14)"; nullopt for a name without one.
std::optional<std::uint64_t> ProgramIdOf(std::string_view name);
/// "jit_step" by the program's id, of what the trace holds.
std::map<std::uint64_t, std::string> ProgramNames(const Trace& trace);

// Categories:
bool IsInfeedOrOutfeed(std::string_view category);
bool IsFusion(std::string_view category);
/// while, conditional, call: what they hold is counted by itself.
bool HoldsOthers(std::string_view category);
/// Neither computing nor moving data on the device itself.
bool IsOffDuty(std::string_view category);

}  // namespace mlprof::server::xspace
