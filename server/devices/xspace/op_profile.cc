// Where the devices' time went, as a tree: by program, by category, or by where in the model's code
// an operation comes from.
#include <algorithm>
#include <map>
#include <memory>

#include "server/devices/xspace/left_out.h"
#include "server/devices/xspace/op_card.h"
#include "server/devices/xspace/ratio.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {
namespace {

constexpr int kDeepestPath = 64;
constexpr std::size_t kMostPathNodes = 500'000;
// What a document may take: a node without its texts is some 500 bytes of JSON.
constexpr std::size_t kMostDocumentBytes = 64U << 20U;
constexpr std::size_t kBytesOfNode = 1024;

struct Node {
  std::string name;
  std::map<std::string, std::unique_ptr<Node>> children;
  std::vector<const Op*> ops;  // of a group of duplicates
  double time_ps = 0;          // self times, of what is below
  double flops = 0;
  double model_flops = 0;
  double occurrences = 0;
  BytesMoved bytes;

  Node& Child(const std::string& child) {
    auto& slot = children[child];
    if (!slot) {
      slot = std::make_unique<Node>();
      slot->name = child;
    }
    return *slot;
  }

  // What holds others has its self time alone here: what they do is counted by them.
  void Add(const Op& op) {
    time_ps += op.self_ps;
    if (op.HasChildren()) return;
    flops += op.flops;
    model_flops += op.model_flops;
    bytes.Add(op.bytes, 1);
  }
};

class Tree {
 public:
  Tree(const OpTable& table, const ToolOptions& options) : table_(table), options_(options) {
    root_.name = options.grouping == OpGrouping::kCategory  ? "by_category"
                 : options.grouping == OpGrouping::kProgram ? "by_program"
                                                            : "by_provenance";
    total_ps_ = options.with_idle ? table.total_ps : table.SelfPs();
    for (const Op& op : table.ops) {
      if (!op.name.starts_with("region")) Add(op);
    }
    if (options.with_idle && table.IdlePs() > 0) {
      Node& idle = root_.Child("IDLE");
      idle.time_ps = table.IdlePs();
      root_.time_ps += table.IdlePs();
    }
  }

  /// Empty lists and how many nodes they lack, where the document would be too large.
  Json Render() {
    Json out = NodeJson(root_);
    TellLeftOut(out, "nodes", left_out_);
    return out;
  }

 private:
  void Add(const Op& op) {
    root_.Add(op);
    Node* at = &root_;
    if (options_.grouping != OpGrouping::kCategory) {
      at = &at->Child(ProgramName(op));
      at->Add(op);
    }
    if (op.HasChildren()) return;
    if (options_.grouping == OpGrouping::kProvenance) at = Follow(op, at);
    at = &at->Child(op.category.empty() ? "Unknown" : std::string(op.category));
    at->Add(op);
    at->occurrences += op.occurrences;
    at = &at->Child(op.deduplicated_name.empty() ? op.name : std::string(op.deduplicated_name));
    at->Add(op);
    at->occurrences += op.occurrences;
    at->ops.push_back(&op);
  }

  std::string ProgramName(const Op& op) const {
    const auto name = table_.programs.find(op.program_id);
    if (name == table_.programs.end()) return "main";
    return name->second + "(" + std::to_string(op.program_id) + ")";
  }

  // Along "jit(step)/jit(main)/add:".
  Node* Follow(const Op& op, Node* at) {
    std::string_view path = op.provenance;
    path = path.substr(0, path.rfind(':'));
    for (int depth = 0; !path.empty() && depth < kDeepestPath; ++depth) {
      const std::size_t slash = path.find('/');
      const std::string part(path.substr(0, slash));
      if (!at->children.contains(part) && ++path_nodes_ > kMostPathNodes) break;
      at = &at->Child(part);
      at->Add(op);
      path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return at;
  }

  // Of a node's own time; the device could do the peak for all of it.
  Json MetricsJson(double time_ps, double flops, double model_flops, double occurrences,
                   const BytesMoved& bytes) const {
    const double seconds = time_ps / 1e12;
    const double rate = Ratio(flops, seconds);
    const double used = Ratio(rate, table_.peaks.flops_per_second);
    return {{"timeInUs", time_ps / 1e6},
            {"timeFraction", Ratio(time_ps, total_ps_)},
            {"averageTimeInUs", Ratio(time_ps / 1e6, occurrences)},
            {"occurrences", occurrences},
            {"flops", flops},
            {"modelFlops", model_flops},
            {"flopsUtilization", used},
            {"hbmUtilization",
             std::min(1.0, Ratio(Ratio(bytes.hbm, seconds), table_.peaks.hbm_bytes_per_second))},
            {"hbmBytes", bytes.hbm}};
  }

  // Whether there is room for one more node with such texts.
  bool Fits(std::size_t text_bytes) {
    bytes_ += kBytesOfNode + text_bytes;
    if (bytes_ > kMostDocumentBytes) ++left_out_;
    return bytes_ <= kMostDocumentBytes;
  }

  bool Fits(const Op& op) {
    return Fits(op.name.size() + op.text.size() + op.provenance.size() + op.category.size() +
                op.source.size() + op.shape.size());
  }

  Json OpJson(const Op& op) {
    Json out = {
        {"name", op.name},
        {"metrics", MetricsJson(op.time_ps, op.flops, op.model_flops, op.occurrences, op.bytes)},
        {"op", OpCardJson(op, table_.peaks)}};
    if (!op.fused.empty()) out["children"] = FusedJson(op.fused);
    return out;
  }

  Json FusedJson(const std::vector<Op>& fused) {
    std::vector<const Op*> order;
    for (const Op& op : fused) order.push_back(&op);
    std::stable_sort(order.begin(), order.end(),
                     [](const Op* a, const Op* b) { return a->model_flops > b->model_flops; });
    Json out = Json::array();
    for (std::size_t i = 0; i < order.size() && i < options_.top; ++i) {
      if (Fits(*order[i])) out.push_back(OpJson(*order[i]));
    }
    return out;
  }

  template <class Item, class TimeOf, class FlopsOf>
  void Sort(std::vector<Item>& items, TimeOf time, FlopsOf flops) const {
    std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
      return options_.by_flops ? flops(a) > flops(b) : time(a) > time(b);
    });
  }

  Json NodeJson(const Node& node) {
    if (node.ops.size() == 1) return OpJson(*node.ops.front());
    Json out = {{"name", node.name}};
    out["metrics"] =
        MetricsJson(node.time_ps, node.flops, node.model_flops, node.occurrences, node.bytes);
    Json children = Json::array();
    if (!node.ops.empty()) {
      std::vector<const Op*> ops = node.ops;
      Sort(
          ops, [](const Op* op) { return op->time_ps; }, [](const Op* op) { return op->flops; });
      out["name"] = ops.front()->name + " and its duplicate(s)";
      for (std::size_t i = 0; i < ops.size() && i < options_.top; ++i) {
        if (Fits(*ops[i])) children.push_back(OpJson(*ops[i]));
      }
      out["childCount"] = node.ops.size();
    } else {
      std::vector<const Node*> nodes;
      for (const auto& [name, child] : node.children) nodes.push_back(child.get());
      Sort(
          nodes, [](const Node* one) { return one->time_ps; },
          [](const Node* one) { return one->flops; });
      for (std::size_t i = 0; i < nodes.size() && i < options_.top; ++i) {
        const Node& child = *nodes[i];
        const bool one = child.ops.size() == 1;
        if (one ? Fits(*child.ops.front()) : Fits(child.name.size())) {
          children.push_back(NodeJson(child));
        }
      }
      out["childCount"] = node.children.size();
    }
    if (!children.empty()) out["children"] = std::move(children);
    return out;
  }

  const OpTable& table_;
  const ToolOptions& options_;
  double total_ps_ = 0;
  std::size_t path_nodes_ = 0;
  std::size_t bytes_ = 0;     // of the document, so far
  std::size_t left_out_ = 0;  // for want of room
  Node root_;
};

}  // namespace

Json OpProfile(const Trace& trace, const ToolOptions& options) {
  const OpTable table = CollectOps(trace, options.time);
  Json out = {{"hardware", Name(table.hardware)}, {"deviceType", table.device_type}};
  out["root"] = Tree(table, options).Render();
  return out;
}

}  // namespace mlprof::server::xspace
