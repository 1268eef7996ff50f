#include <array>

#include "server/analysis/model_files/element_type.h"
#include "server/analysis/model_files/formats.h"
#include "server/analysis/model_files/tally.h"
#include "server/analysis/model_files/wire_reader.h"

namespace mlprof::server {
namespace {

constexpr int kDeepestGraph = 16;
constexpr std::size_t kMostExtents = 64;
constexpr std::int64_t kMostParts = 10'000'000;  // nodes, attributes, tensors

// By TensorProto.DataType; "" of texts and of what is not known.
constexpr std::array<std::string_view, 27> kOnnxTypes = {
    "",          "float32",    "uint8",    "int8",    "uint16",  "int16",  "int32",
    "int64",     "",           "bool",     "float16", "float64", "uint32", "uint64",
    "complex64", "complex128", "bfloat16", "float8",  "float8",  "float8", "float8",
    "uint4",     "int4",       "float4",   "float8",  "uint2",   "int2"};

class OnnxReader {
 public:
  explicit OnnxReader(RandomBytes& bytes) : bytes_(bytes) {}

  Status Model() {
    ByteCursor cursor(bytes_);
    bool graph = false;
    WireField field;
    while (NextField(cursor, field)) {
      if (field.type != WireType::kBytes) continue;
      if (field.number == kGraphOfModel) {
        graph = true;
        MLPROF_TRY(Graph(Part(cursor, field), 0));
      }
      cursor.Skip(field.length);
    }
    MLPROF_TRY(cursor.state());
    if (!graph) return Fail(InvalidArgument("it is no ONNX model: it has no graph"));
    return {};
  }
  const Tally& tally() const { return tally_; }

 private:
  static constexpr std::uint64_t kGraphOfModel = 7;

  // What the cursor stands before, on its own.
  ByteCursor Part(const ByteCursor& cursor, const WireField& field) {
    ByteCursor part(bytes_, cursor.at(), cursor.at() + field.length);
    if (++parts_ > kMostParts) part.Break("it has more parts than any model that is known");
    return part;
  }

  // GraphProto: node = 1, initializer = 5, sparse_initializer = 15.
  Status Graph(ByteCursor cursor, int depth) {
    if (depth > kDeepestGraph) return Fail(InvalidArgument("graphs stand in graphs in it"));
    WireField field;
    while (NextField(cursor, field)) {
      if (field.type != WireType::kBytes) continue;
      if (field.number == 1) MLPROF_TRY(Node(Part(cursor, field), depth));
      if (field.number == 5) MLPROF_TRY(Tensor(Part(cursor, field)));
      if (field.number == 15) MLPROF_TRY(SparseTensor(Part(cursor, field)));
      cursor.Skip(field.length);
    }
    return cursor.state();
  }

  // NodeProto: attribute = 5.
  Status Node(ByteCursor cursor, int depth) {
    WireField field;
    while (NextField(cursor, field)) {
      if (field.type != WireType::kBytes) continue;
      if (field.number == 5) MLPROF_TRY(Attribute(Part(cursor, field), depth));
      cursor.Skip(field.length);
    }
    return cursor.state();
  }

  // AttributeProto: t = 5, g = 6, tensors = 10, graphs = 11, sparse_tensor = 22.
  Status Attribute(ByteCursor cursor, int depth) {
    WireField field;
    while (NextField(cursor, field)) {
      if (field.type != WireType::kBytes) continue;
      if (field.number == 5 || field.number == 10) MLPROF_TRY(Tensor(Part(cursor, field)));
      if (field.number == 6 || field.number == 11) {
        MLPROF_TRY(Graph(Part(cursor, field), depth + 1));
      }
      if (field.number == 22) MLPROF_TRY(SparseTensor(Part(cursor, field)));
      cursor.Skip(field.length);
    }
    return cursor.state();
  }

  // SparseTensorProto: values = 1, indices = 2.
  Status SparseTensor(ByteCursor cursor) {
    WireField field;
    while (NextField(cursor, field)) {
      if (field.type != WireType::kBytes) continue;
      if (field.number == 1 || field.number == 2) MLPROF_TRY(Tensor(Part(cursor, field)));
      cursor.Skip(field.length);
    }
    return cursor.state();
  }

  // TensorProto: dims = 1, data_type = 2; the data is skipped, wherever it stands.
  Status Tensor(ByteCursor cursor) {
    std::vector<std::int64_t> shape;
    std::uint64_t type = 0;
    WireField field;
    while (NextField(cursor, field)) {
      if (field.number == 2 && field.type == WireType::kVarint) type = field.value;
      if (field.number == 1 && field.type == WireType::kVarint) {
        shape.push_back(static_cast<std::int64_t>(field.value));
      }
      if (field.number == 1 && field.type == WireType::kBytes) {
        ByteCursor extents = Part(cursor, field);
        while (extents.ok() && extents.left() > 0 && shape.size() <= kMostExtents) {
          shape.push_back(static_cast<std::int64_t>(extents.Varint()));
        }
      }
      if (shape.size() > kMostExtents) cursor.Break("a tensor in it has too many dimensions");
      if (field.type == WireType::kBytes) cursor.Skip(field.length);
    }
    MLPROF_TRY(cursor.state());
    return Count(shape, type);
  }

  Status Count(const std::vector<std::int64_t>& shape, std::uint64_t number) {
    const auto name = number < kOnnxTypes.size() ? kOnnxTypes.at(number) : std::string_view();
    const ElementType* type = FindElementType(name);
    if (type == nullptr) return {};  // texts
    const auto elements = Elements(shape);
    const auto bytes = elements ? BytesOf(*elements, type->bits) : std::nullopt;
    if (!bytes) return Fail(InvalidArgument("a tensor in it has a shape that is none"));
    return tally_.Add(type->name, *elements, *bytes);
  }

  RandomBytes& bytes_;
  std::int64_t parts_ = 0;
  Tally tally_;
};

}  // namespace

Result<WeightsFile> ReadOnnx(RandomBytes& bytes) {
  OnnxReader reader(bytes);
  MLPROF_TRY(reader.Model());
  WeightsFile file;
  file.format = WeightsFormat::kOnnx;
  file.tensors = reader.tally().tensors();
  file.by_type = reader.tally().ByType();
  return file;
}

}  // namespace mlprof::server
