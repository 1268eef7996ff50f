// The figures of the fixtures beside those that XProf 2.24.2 has made of them, as they are stored.
#include <gtest/gtest.h>

#include <cmath>

#include "server/devices/xspace/read_trace.h"
#include "server/devices/xspace/tools.h"
#include "tests/server/devices/xspace/made_trace.h"

namespace mlprof::server::xspace {
namespace {

constexpr double kTolerance = 1e-3;

double NumberOf(double value) { return value; }
double NumberOf(const Json& value) { return value.get<double>(); }

template <class Ours, class Theirs>
void ExpectNear(const Ours& our_figure, const Theirs& their_figure, const std::string& what) {
  const double ours = NumberOf(our_figure);
  const double theirs = NumberOf(their_figure);
  EXPECT_LE(std::abs(ours - theirs), kTolerance * std::max(std::abs(theirs), 1e-9) + 1e-12) << what;
}

// A table of XProf's as rows by the ids of its columns.
std::vector<std::map<std::string, Json>> RowsOf(const Json& table) {
  std::vector<std::map<std::string, Json>> out;
  for (const Json& row : table["rows"]) {
    auto& cells = out.emplace_back();
    for (std::size_t i = 0; i < row["c"].size(); ++i) {
      cells[table["cols"][i]["id"].get<std::string>()] = row["c"][i]["v"];
    }
  }
  return out;
}

struct Read {
  explicit Read(const std::string& name)
      : bytes(FixtureBytes(name + ".xplane.pb")), trace(ReadTrace(bytes)) {}
  Json Run(const std::string& tool, const ToolOptions& options = {}) const {
    auto json = RunTool(*trace, tool, options);
    return json ? *json : Json();
  }
  std::string bytes;
  Result<Trace> trace;
};

ToolOptions WithoutIdle() {
  ToolOptions options;
  options.with_idle = false;
  return options;
}

ToolOptions GroupedBy(OpGrouping grouping) {
  ToolOptions options;
  options.grouping = grouping;
  return options;
}

ToolOptions OfModule(const std::string& module) {
  ToolOptions options;
  options.module = module;
  return options;
}

TEST(PeerFiguresTest, StepsOfTheHost) {
  const Json ours = Read("jax_cpu").Run("input_pipeline_analyzer");
  const auto theirs = RowsOf(Peer("jax_cpu", "input_pipeline_analyzer")[1]);
  ASSERT_EQ(ours["steps"].size(), theirs.size());
  ASSERT_EQ(theirs.size(), 36U);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const Json& step = ours["steps"][i];
    EXPECT_EQ(step["name"], theirs[i].at("stepnum"));
    ExpectNear(step["stepTimeInMs"], theirs[i].at("stepTimeMs"), "step time");
    ExpectNear(step["hostComputeInMs"], theirs[i].at("hostComputeTimeMs"), "host compute");
    ExpectNear(step["inputInMs"], theirs[i].at("infeedTimeMs"), "input");
    ExpectNear(step["otherInMs"], theirs[i].at("otherTimeMs"), "other");
  }
  EXPECT_EQ(ours["verdict"]["inputBound"], "not");
  EXPECT_NEAR(ours["summary"]["stepTimeInMs"]["standardDeviation"].get<double>(), 1.553, 0.001);
}

TEST(PeerFiguresTest, StepsOfTensorCores) {
  const Json ours = Read("tpu_synth_flow").Run("input_pipeline_analyzer");
  const auto theirs = RowsOf(Peer("tpu_synth_flow", "input_pipeline_analyzer")[1]);
  ASSERT_EQ(ours["steps"].size(), theirs.size());
  ASSERT_EQ(theirs.size(), 10U);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const Json& step = ours["steps"][i];
    EXPECT_EQ(step["name"], theirs[i].at("stepnum"));
    ExpectNear(step["computeInMs"], theirs[i].at("tcComputeTimeMs"), "compute");
    ExpectNear(step["inputInMs"], theirs[i].at("tcInfeedTimeMs"), "input");
    ExpectNear(step["outputInMs"], theirs[i].at("tcOutfeedTimeMs"), "output");
    ExpectNear(step["idleInMs"], theirs[i].at("tcIdleTimeMs"), "idle");
    ExpectNear(step["inputPercent"], theirs[i].at("infeedPercentAverage"), "input %");
  }
  EXPECT_EQ(ours["verdict"]["inputBound"], "moderately");
}

TEST(PeerFiguresTest, OverviewOfTensorCores) {
  const Json ours = Read("tpu_synth_flow").Run("overview_page");
  const Json peer = Peer("tpu_synth_flow", "overview_page");
  const auto theirs = RowsOf(peer[0]);
  ASSERT_EQ(ours["topOps"].size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    // Of the same time the order is nobody's.
    const auto same = std::find_if(theirs.begin(), theirs.end(), [&](const auto& row) {
      return row.at("operation") == ours["topOps"][i]["name"];
    });
    ASSERT_NE(same, theirs.end()) << ours["topOps"][i]["name"];
    ExpectNear(ours["topOps"][i]["selfTimePercent"].get<double>() / 100,
               same->at("selfTimePercent"), "self time");
    ExpectNear(ours["topOps"][i]["gflopsPerSecond"], same->at("flopRate"), "rate");
    EXPECT_EQ(ours["topOps"][i]["type"], same->at("category"));
    ExpectNear(ours["topOps"][i]["cumulativePercent"].get<double>() / 100,
               theirs[i].at("cumulativeTimePercent"), "cumulative");
  }
  EXPECT_EQ(peer[0]["p"]["device_idle_time_percent"], "14.1%");
  EXPECT_NEAR(ours["device"]["idlePercent"].get<double>(), 14.1, 0.05);
  EXPECT_EQ(peer[0]["p"]["device_duty_cycle_percent"], "76.0%");
  EXPECT_NEAR(ours["device"]["dutyCyclePercent"].get<double>(), 76.0, 0.05);
  EXPECT_EQ(ours["environment"]["deviceCount"], 2);
  EXPECT_EQ(ours["environment"]["deviceType"], "TPU v5 Lite");
}

TEST(PeerFiguresTest, RatesAndLimitsOfEveryOperation) {
  const Json ours = Read("tpu_synth_flow").Run("hlo_stats");
  const auto theirs = RowsOf(Peer("tpu_synth_flow", "hlo_stats"));
  ASSERT_EQ(ours["ops"].size(), theirs.size());
  for (const Json& op : ours["ops"]) {
    const auto name = op["name"].get<std::string>();
    const auto row = std::find_if(theirs.begin(), theirs.end(), [&](const auto& candidate) {
      return candidate.at("hlo_op_name") == name;
    });
    ASSERT_NE(row, theirs.end()) << name;
    for (const auto& [mine, other] :
         std::map<std::string, std::string>{{"occurrences", "occurrences"},
                                            {"timeInUs", "total_time"},
                                            {"averageTimeInUs", "avg_time"},
                                            {"selfTimeInUs", "total_self_time"},
                                            {"averageSelfTimeInUs", "avg_self_time"},
                                            {"selfTimePercent", "total_self_time_percent"},
                                            {"dmaStallPercent", "dma_stall_percent"}}) {
      ExpectNear(op[mine], row->at(other), name + " " + mine);
    }
    for (const auto& [mine, other] :
         std::map<std::string, std::string>{{"gflopsPerSecond", "normalized_flop_rate"},
                                            {"modelGflopsPerSecond", "model_flop_rate"},
                                            {"memoryGibPerSecond", "measured_memory_bw"},
                                            {"hbmGibPerSecond", "hbm_bw"},
                                            {"flopsPerByte", "operational_intensity"}}) {
      ExpectNear(op["roofline"][mine], row->at(other), name + " " + mine);
    }
    EXPECT_EQ(op["roofline"]["boundBy"], row->at("bound_by")) << name;
    EXPECT_EQ(op["category"], row->at("category"));
    EXPECT_EQ(op["expression"], row->at("hlo_op_expression"));
  }
}

const Json* Child(const Json& node, const std::string& name) {
  for (const Json& child : node.value("children", Json::array())) {
    if (child["name"] == name) {
      return &*std::find_if(node["children"].begin(), node["children"].end(),
                            [&](const Json& one) { return one["name"] == name; });
    }
  }
  return nullptr;
}

// `normalized`: XProf divides what programs and the root did by times in which nested operations
// count twice and idle time does not; this is by how much.
void CompareNode(const Json& ours, const Json& theirs, const std::string& path) {
  const Json& mine = ours["metrics"];
  const Json& other = theirs["metrics"];
  ExpectNear(mine["timeInUs"], other["rawTime"].get<double>() / 1e6, path + " time");
  ExpectNear(mine["flops"], other["bf16Flops"], path + " flops");
  ExpectNear(mine["modelFlops"], other["rawFlops"], path + " model flops");
  const double rate = mine["flopsUtilization"].get<double>() * mine["timeFraction"].get<double>();
  const double normalized = other["normalizedTimePs"].get<double>();
  const double shown =
      normalized > 0 ? other["flops"].get<double>() * normalized / other["rawTime"].get<double>()
                     : other["flops"].get<double>();
  ExpectNear(rate, shown, path + " rate");
  ExpectNear(mine["hbmUtilization"], other["bandwidthUtils"][0], path + " bandwidth");
  ExpectNear(mine["hbmBytes"], other["rawBytesAccessedArray"][0], path + " bytes");
  const Json none = Json::array();
  const Json& children = theirs.contains("children") ? theirs["children"] : none;
  EXPECT_EQ(ours.value("children", none).size(), children.size()) << path;
  for (const Json& child : children) {
    const auto name = child["name"].get<std::string>();
    const Json* same = Child(ours, name);
    ASSERT_NE(same, nullptr) << path << " has no " << name;
    CompareNode(*same, child, path + "/" + name);
  }
}

TEST(PeerFiguresTest, ProfileOfOperationsByProgram) {
  const Json ours = Read("tpu_synth_flow").Run("op_profile");
  CompareNode(ours["root"], Peer("tpu_synth_flow", "op_profile")["byProgram"], "root");
}

TEST(PeerFiguresTest, ProfileOfOperationsWithoutIdleTime) {
  const Json ours = Read("tpu_synth_flow").Run("op_profile", WithoutIdle());
  CompareNode(ours["root"], Peer("tpu_synth_flow", "op_profile")["byProgramExcludeIdle"], "root");
}

TEST(PeerFiguresTest, ProfileOfOperationsByCategory) {
  const Json ours = Read("tpu_synth_flow").Run("op_profile", GroupedBy(OpGrouping::kCategory));
  CompareNode(ours["root"], Peer("tpu_synth_flow", "op_profile_category")["byCategory"], "root");
}

TEST(PeerFiguresTest, ProfileOfOperationsByProvenance) {
  const Json ours = Read("tpu_synth_flow").Run("op_profile", GroupedBy(OpGrouping::kProvenance));
  CompareNode(ours["root"], Peer("tpu_synth_flow", "op_profile_provenance")["byProvenance"],
              "root");
}

void CompareMemory(const Json& ours, const Json& theirs) {
  ASSERT_EQ(ours["heapInMib"].size(), theirs["heapSizes"].size());
  for (std::size_t i = 0; i < theirs["heapSizes"].size(); ++i) {
    ExpectNear(ours["heapInMib"][i], theirs["heapSizes"][i], "heap " + std::to_string(i));
    ExpectNear(ours["unpaddedHeapInMib"][i], theirs["unpaddedHeapSizes"][i], "unpadded heap");
    EXPECT_EQ(ours["instructions"][i], theirs["hloInstructionNames"][i]);
  }
  ExpectNear(ours["peakInMib"], theirs["peakHeapMib"], "peak");
  ExpectNear(ours["peakUnpaddedInMib"], theirs["peakUnpaddedHeapMib"], "unpadded peak");
  EXPECT_EQ(ours["peakPosition"], theirs["peakHeapSizePosition"]);
  ExpectNear(ours["parametersInMib"], theirs["entryComputationParametersMib"], "parameters");
  ExpectNear(ours["outputsInMib"], theirs["maybeLiveOutMib"], "outputs");
  ExpectNear(ours["notReusableInMib"], theirs.value("nonReusableMib", 0.0), "not reusable");
  ExpectNear(ours["allocatedInMib"], theirs["totalBufferAllocationMib"], "allocated");
  ExpectNear(ours["lastingInMib"], theirs["indefiniteBufferAllocationMib"], "lasting");
  ASSERT_EQ(ours["buffers"].size(), theirs["maxHeap"].size());
  for (std::size_t i = 0; i < theirs["maxHeap"].size(); ++i) {
    ExpectNear(ours["buffers"][i]["sizeInMib"], theirs["maxHeap"][i]["logicalBufferSizeMib"],
               "buffer " + std::to_string(i));
    if (ours["buffers"][i].contains("shape")) {
      EXPECT_EQ(ours["buffers"][i]["shape"], theirs["maxHeap"][i]["shapeString"]);
      ExpectNear(ours["buffers"][i]["unpaddedInMib"], theirs["maxHeap"][i]["unpaddedShapeMib"],
                 "unpadded buffer");
    }
  }
}

TEST(PeerFiguresTest, MemoryOfATensorCoresProgram) {
  const Json ours = Read("tpu_synth_flow").Run("memory_viewer");
  CompareMemory(ours["memory"], Peer("tpu_synth_flow", "memory_viewer"));
}

TEST(PeerFiguresTest, MemoryOfAProgramOfTheHost) {
  const Json ours = Read("jax_cpu").Run("memory_viewer", OfModule("jit_score_fn(14)"));
  CompareMemory(ours["memory"], Peer("jax_cpu", "memory_viewer"));
}

TEST(PeerFiguresTest, JaxOnTheHostTellsOfNoAllocator) {
  EXPECT_TRUE(Peer("jax_cpu", "memory_profile")["memoryProfilePerAllocator"].empty());
  EXPECT_TRUE(Read("jax_cpu").Run("memory_profile")["allocators"].empty());
}

}  // namespace
}  // namespace mlprof::server::xspace
