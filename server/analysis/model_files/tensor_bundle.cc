#include <array>
#include <utility>

#include "server/analysis/model_files/element_type.h"
#include "server/analysis/model_files/formats.h"
#include "server/analysis/model_files/sorted_table.h"
#include "server/analysis/model_files/tally.h"
#include "server/analysis/model_files/wire_reader.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMostExtentsOfBundle = 254;

// By TensorFlow's DataType.
constexpr std::array<std::pair<std::uint64_t, std::string_view>, 21> kTensorFlowTypes = {
    {{1, "float32"},  {2, "float64"},   {3, "int32"},     {4, "uint8"},   {5, "int16"},
     {6, "int8"},     {8, "complex64"}, {9, "int64"},     {10, "bool"},   {11, "int8"},
     {12, "uint8"},   {13, "int32"},    {14, "bfloat16"}, {17, "uint16"}, {18, "complex128"},
     {19, "float16"}, {22, "uint32"},   {23, "uint64"},   {24, "float8"}, {25, "float8"},
     {29, "int4"}}};

const ElementType* TypeOfTensorFlow(std::uint64_t number) {
  for (const auto& [theirs, ours] : kTensorFlowTypes) {
    if (theirs == number) return FindElementType(ours);
  }
  return nullptr;
}

// What only training reads: slots of an optimizer, and its own variables.
bool IsOfTraining(const std::string& key) {
  return key.find("/.OPTIMIZER_SLOT/") != std::string::npos || key.starts_with("optimizer/") ||
         key.starts_with("_optimizer/") || key.starts_with("keras_api/metrics/");
}

// TensorShapeProto: dim = 2 { size = 1 }.
std::vector<std::int64_t> ReadShape(RandomBytes& bytes, ByteCursor cursor) {
  std::vector<std::int64_t> shape;
  WireField field;
  while (NextField(cursor, field)) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 2 && shape.size() < kMostExtentsOfBundle) {
      ByteCursor dimension(bytes, cursor.at(), cursor.at() + field.length);
      std::int64_t size = 0;
      WireField part;
      while (NextField(dimension, part)) {
        if (part.number == 1 && part.type == WireType::kVarint) {
          size = static_cast<std::int64_t>(part.value);
        }
        if (part.type == WireType::kBytes) dimension.Skip(part.length);
      }
      shape.push_back(size);
    }
    cursor.Skip(field.length);
  }
  return shape;
}

// BundleEntryProto: dtype = 1, shape = 2, size = 5.
struct BundleEntry {
  std::uint64_t type = 0;
  std::vector<std::int64_t> shape = {};
  std::int64_t size = 0;
};

Result<BundleEntry> ReadEntry(std::string value) {
  BytesInMemory held(std::move(value));
  ByteCursor cursor(held);
  BundleEntry entry;
  WireField field;
  while (NextField(cursor, field)) {
    if (field.number == 1 && field.type == WireType::kVarint) entry.type = field.value;
    if (field.number == 5 && field.type == WireType::kVarint) {
      entry.size = static_cast<std::int64_t>(field.value);
    }
    if (field.type != WireType::kBytes) continue;
    if (field.number == 2) {
      entry.shape = ReadShape(held, {held, cursor.at(), cursor.at() + field.length});
    }
    cursor.Skip(field.length);
  }
  MLPROF_TRY(cursor.state());
  return entry;
}

}  // namespace

Result<WeightsFile> ReadTensorBundle(RandomBytes& bytes) {
  Tally serving;
  Tally training;
  MLPROF_TRY(ReadSortedTable(bytes, [&](const std::string& key, std::string value) -> Status {
    if (key.empty()) return {};  // of the bundle itself
    MLPROF_LET(entry, ReadEntry(std::move(value)));
    const ElementType* type = TypeOfTensorFlow(entry.type);
    if (type == nullptr) return {};  // texts, and the graph of objects
    const auto elements = Elements(entry.shape);
    const auto size = elements ? BytesOf(*elements, type->bits) : std::nullopt;
    // A variable in several slices has no data of its own; each slice has an entry behind.
    if (size && entry.size == 0 && *elements > 0) return {};
    const bool packed = type->bits < 8;  // or a byte for each, which is left open
    if (!size || entry.size < 0 || (!packed && entry.size != *size)) {
      return Fail(InvalidArgument("variable \"" + key.substr(0, 200) +
                                  "\" has a size that does not hold its shape"));
    }
    return (IsOfTraining(key) ? training : serving).Add(type->name, *elements, entry.size);
  }));
  WeightsFile file;
  file.format = WeightsFormat::kTensorFlow;
  file.tensors = serving.tensors();
  file.by_type = serving.ByType();
  if (training.tensors() > 0) file.training = TotalBytes(training.ByType());
  return file;
}

}  // namespace mlprof::server
