// Every operation with its times, rates and limits: the roofline as a table.
#include <algorithm>

#include "server/devices/xspace/op_card.h"
#include "server/devices/xspace/ratio.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {
namespace {

Json PeaksJson(const DevicePeaks& peaks) {
  return {{"gflopsPerSecond", peaks.flops_per_second / 1e9},
          {"hbmGibPerSecond", peaks.hbm_bytes_per_second / kBytesOfGib},
          {"hbmRidgePoint", Ratio(peaks.flops_per_second, peaks.hbm_bytes_per_second)},
          {"vmemReadGibPerSecond", peaks.vmem_read_bytes_per_second / kBytesOfGib},
          {"vmemWriteGibPerSecond", peaks.vmem_write_bytes_per_second / kBytesOfGib}};
}

// All operations as one; what holds others is told by what it holds.
Json ProgramJson(const OpTable& table) {
  Op program;
  for (const Op& op : table.ops) {
    if (HoldsOthers(op.category)) continue;
    program.flops += op.flops;
    program.model_flops += op.model_flops;
    program.bytes.Add(op.bytes, 1);
  }
  program.time_ps = table.total_ps;
  Json out = RooflineJson(RooflineOf(program, table.peaks));
  out["timeInUs"] = table.total_ps / 1e6;
  return out;
}

Json RowJson(const Op& op, const OpTable& table, double& cumulative) {
  const double self_percent = 100 * Ratio(op.self_ps, table.total_ps);
  cumulative += self_percent;
  Json out = OpCardJson(op, table.peaks);
  const auto program = table.programs.find(op.program_id);
  out["name"] = op.name;
  out["program"] = program == table.programs.end() ? "" : program->second;
  out["occurrences"] = op.occurrences;
  out["timeInUs"] = op.time_ps / 1e6;
  out["averageTimeInUs"] = Ratio(op.time_ps / 1e6, op.occurrences);
  out["selfTimeInUs"] = op.self_ps / 1e6;
  out["averageSelfTimeInUs"] = Ratio(op.self_ps / 1e6, op.occurrences);
  out["selfTimePercent"] = self_percent;
  out["cumulativeSelfTimePercent"] = cumulative;
  out["dmaStallPercent"] = 100 * Ratio(op.dma_stall_ps, op.time_ps);
  return out;
}

}  // namespace

Json HloStats(const Trace& trace, const ToolOptions& options) {
  const OpTable table = CollectOps(trace, options.time);
  std::vector<const Op*> order;
  for (const Op& op : table.ops) order.push_back(&op);
  std::sort(order.begin(), order.end(), [&](const Op* a, const Op* b) {
    const double first = options.by_flops ? a->flops : a->self_ps;
    const double second = options.by_flops ? b->flops : b->self_ps;
    return first != second ? first > second : a->name < b->name;
  });
  Json ops = Json::array();
  double cumulative = 0;
  for (std::size_t i = 0; i < order.size() && i < options.top; ++i) {
    ops.push_back(RowJson(*order[i], table, cumulative));
  }
  return {{"hardware", Name(table.hardware)},
          {"deviceType", table.device_type},
          {"peaks", PeaksJson(table.peaks)},
          {"totalTimeInUs", table.total_ps / 1e6},
          {"idlePercent", 100 * Ratio(table.IdlePs(), table.total_ps)},
          {"program", ProgramJson(table)},
          {"opCount", table.ops.size()},
          {"ops", std::move(ops)}};
}

}  // namespace mlprof::server::xspace
