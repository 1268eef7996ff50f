// Traces of devices and programs made by hand, and what is found to cost there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/devices/xspace/cost_advice.h"
#include "server/devices/xspace/device_costs.h"
#include "server/devices/xspace/read_trace.h"
#include "server/devices/xspace/steps.h"
#include "server/devices/xspace/tools.h"
#include "tests/server/devices/xspace/made_program.h"

namespace mlprof::server::xspace {

struct Costed {
  explicit Costed(std::string encoded) : bytes(std::move(encoded)), trace(ReadTrace(bytes)) {}
  DeviceCosts Find(const TimeLimit& time = {}) const {
    return FindDeviceCosts(*trace, CollectOps(*trace), JudgeSteps(CollectSteps(*trace)), time);
  }
  Json Page() const {
    const auto json = RunTool(*trace, "overview_page", {});
    return json ? *json : Json();
  }
  std::string Advice() const {
    std::string out;
    for (const std::string& one : AdviceOn(Find())) out += one + "\n";
    return out;
  }
  std::string bytes;
  Result<Trace> trace;
};

inline bool Says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct RunOp {
  std::string text;
  std::string category;
  std::uint64_t us = 0;
};

inline std::string NameIn(const std::string& text) { return text.substr(1, text.find(' ') - 1); }

// A core that runs one operation after the other, of the program 7.
inline Message CoreOf(const std::vector<RunOp>& ops) {
  MadePlane core("/device:TPU:0");
  const auto program = core.StatName("program_id");
  const auto symbol = core.StatName("symbol_id");
  const auto category = core.StatName("hlo_category");
  std::vector<Message> events;
  std::uint64_t at = 0, id = 0;
  for (const RunOp& op : ops) {
    const auto name = core.Name(
        op.text,
        {NumberStat(program, 7), NumberStat(symbol, ++id), TextStat(category, op.category)},
        NameIn(op.text));
    events.push_back(MadeEvent(name, at, op.us));
    at += op.us;
  }
  core.Line(MadeLine("XLA Ops", events));
  return core.message();
}

inline std::string TraceOf(const std::vector<RunOp>& ops) {
  return Message().Sub(1, CoreOf(ops)).bytes();
}

inline std::string TraceOf(const std::vector<RunOp>& ops, const MadeProgram& program) {
  return Message()
      .Sub(1, CoreOf(ops))
      .Sub(1, PlaneOfPrograms({{"jit_step(7)", program.bytes()}}))
      .bytes();
}

inline const RunOp kWhole = {
    "%add.9 = f32[1024,128]{1,0:T(8,128)} add(f32[1024,128]{1,0:T(8,128)} %a)", "add", 40};

inline std::string Dot(int id, const std::string& type) {
  const std::string layout = "{1,0:T(8,128)}";
  return "%dot." + std::to_string(id) + " = f32[1024,1024]" + layout + " dot(" + type +
         "[1024,512]" + layout + " %a, " + type + "[512,1024]" + layout + " %b)";
}

// fusion.7 calls a computation that multiplies two f32, fusion.8 one with a fusion of bfloat16,
// call.9 is a library's product of f32.
inline MadeProgram ProgramOfProducts() {
  const Message f32 = MadeShape(kMadeF32, {128, 128}), bf16 = MadeShape(kMadeBf16, {128, 128});
  MadeProgram program;
  program.Computation(1, {{1, "a", "parameter", f32, {}, {}, ""},
                          {2, "b", "convert", f32, {}, {}, ""},
                          {3, "dot.3", "dot", f32, {1, 2}, {}, ""}});
  program.Computation(2, {{4, "c", "parameter", bf16, {}, {}, ""},
                          {5, "convolution.5", "convolution", f32, {4, 4}, {}, ""}});
  program.Computation(3, {{6, "fusion.6", "fusion", f32, {4}, {2}, ""}});
  program.Computation(4, {{7, "fusion.7", "fusion", f32, {}, {1}, ""},
                          {8, "fusion.8", "fusion", f32, {}, {3}, ""},
                          {9, "call.9", "custom-call", f32, {1, 2, 4}, {}, "__cublas$gemm"},
                          {10, "call.10", "custom-call", f32, {1, 2}, {}, "Sharding"},
                          {11, "dot.11", "dot", f32, {1, 99}, {}, ""}});
  return program;
}

// 100,000 × 50 of f32 in tiles of (8,128): 51,200,000 bytes for 20,000,000.
inline MadeProgram ProgramOfMemory(std::uint64_t type = kMadeF32, std::uint64_t size = 51'200'000) {
  const Message shape = MadeShape(type, {100'000, 50}, {8, 128});
  MadeProgram program;
  program.Computation(
      1, {{1, "p", "parameter", shape, {}, {}, ""}, {2, "t", "add", shape, {1, 1}, {}, ""}});
  program.Parameter("p", size).Temporary("t", size);
  return program;
}

}  // namespace mlprof::server::xspace
