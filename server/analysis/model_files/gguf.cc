#include <array>

#include "server/analysis/model_files/byte_cursor.h"
#include "server/analysis/model_files/element_type.h"
#include "server/analysis/model_files/formats.h"
#include "server/analysis/model_files/tally.h"

namespace mlprof::server {
namespace {

constexpr std::uint64_t kMostKey = 64UL * 1024;
constexpr std::uint64_t kMostGgufTensors = 1'000'000;
constexpr std::uint32_t kMostDimensionsOfGguf = 8;
constexpr int kDeepestList = 4;

// So many elements are one block of so many bytes (ggml's type traits).
struct Block {
  std::uint32_t type;
  std::string_view name;
  std::int64_t elements;
  std::int64_t bytes;
};
constexpr std::array<Block, 34> kBlocks = {
    {{0, "float32", 1, 4},     {1, "float16", 1, 2},     {2, "Q4_0", 32, 18},
     {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
     {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 40},      {10, "Q2_K", 256, 84},
     {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
     {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66},
     {17, "IQ2_XS", 256, 74},  {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
     {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},  {22, "IQ2_S", 256, 82},
     {23, "IQ4_XS", 256, 136}, {24, "int8", 1, 1},       {25, "int16", 1, 2},
     {26, "int32", 1, 4},      {27, "int64", 1, 8},      {28, "float64", 1, 8},
     {29, "IQ1_M", 256, 56},   {30, "bfloat16", 1, 2},   {34, "TQ1_0", 256, 54},
     {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},    {40, "NVFP4", 64, 36},
     {41, "Q1_0", 128, 18}}};

const Block* FindBlock(std::uint32_t type) {
  for (const Block& block : kBlocks) {
    if (block.type == type) return &block;
  }
  return nullptr;
}

// Version 1 counts in 32 bits.
std::uint64_t Count(ByteCursor& cursor, std::uint32_t version) {
  return version == 1 ? cursor.U32() : cursor.U64();
}

enum class ValueType : std::uint32_t { kBool = 7, kString = 8, kArray = 9 };

// The bytes of a value of a fixed size; 0: it has none, or is not known.
std::uint64_t FixedSize(std::uint32_t type) {
  constexpr std::array<std::uint64_t, 13> kSizes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < kSizes.size() ? kSizes.at(type) : 0;
}

void SkipValue(ByteCursor& cursor, std::uint32_t version, std::uint32_t type, int depth);

void SkipList(ByteCursor& cursor, std::uint32_t version, int depth) {
  const std::uint32_t type = cursor.U32();
  const std::uint64_t count = Count(cursor, version);
  if (const std::uint64_t size = FixedSize(type)) {
    if (count > cursor.left() / size) return cursor.Break("a list in it is longer than the file");
    return cursor.Skip(count * size);
  }
  for (std::uint64_t i = 0; i < count && cursor.ok(); ++i) {
    SkipValue(cursor, version, type, depth + 1);
  }
}

void SkipValue(ByteCursor& cursor, std::uint32_t version, std::uint32_t type, int depth) {
  if (depth > kDeepestList) return cursor.Break("lists stand in lists in it");
  if (const std::uint64_t size = FixedSize(type)) return cursor.Skip(size);
  if (type == static_cast<std::uint32_t>(ValueType::kString)) {
    return cursor.Skip(Count(cursor, version));
  }
  if (type == static_cast<std::uint32_t>(ValueType::kArray)) {
    return SkipList(cursor, version, depth);
  }
  cursor.Break("a value in it has a type that is not known");
}

struct GgufTensor {
  const Block* block;
  std::int64_t elements;
  std::int64_t bytes;
  std::uint64_t offset;
};

Result<GgufTensor> ReadTensor(ByteCursor& cursor, std::uint32_t version) {
  const std::string name = cursor.Text(Count(cursor, version), kMostKey);
  const std::uint32_t dimensions = cursor.U32();
  if (dimensions > kMostDimensionsOfGguf) cursor.Break("a tensor in it has too many dimensions");
  std::vector<std::int64_t> shape;
  for (std::uint32_t i = 0; i < dimensions && cursor.ok(); ++i) {
    shape.push_back(static_cast<std::int64_t>(Count(cursor, version)));
  }
  const std::uint32_t type = cursor.U32();
  const std::uint64_t offset = cursor.U64();
  MLPROF_TRY(cursor.state());
  const Block* block = FindBlock(type);
  const auto elements = Elements(shape);
  if (block == nullptr || !elements || *elements % block->elements != 0) {
    return Fail(InvalidArgument("tensor \"" + name.substr(0, 200) +
                                "\" has a type that is not known, or a shape that is none"));
  }
  const auto bytes = BytesOf(*elements / block->elements, static_cast<int>(block->bytes * 8));
  if (!bytes) return Fail(InvalidArgument("its tensors are larger than any memory"));
  return GgufTensor{block, *elements, *bytes, offset};
}

}  // namespace

Result<WeightsFile> ReadGguf(RandomBytes& bytes) {
  ByteCursor cursor(bytes);
  if (cursor.Text(4, 4) != "GGUF") return Fail(InvalidArgument("it does not begin with GGUF"));
  const std::uint32_t version = cursor.U32();
  if (version < 1 || version > 3) {
    return Fail(InvalidArgument("it has version " + std::to_string(version) +
                                "; 1 to 3, little-endian, are read"));
  }
  const std::uint64_t tensors = Count(cursor, version);
  const std::uint64_t values = Count(cursor, version);
  if (tensors > kMostGgufTensors) cursor.Break("it has more tensors than any model that is known");
  for (std::uint64_t i = 0; i < values && cursor.ok(); ++i) {
    cursor.Skip(Count(cursor, version));
    SkipValue(cursor, version, cursor.U32(), 0);
  }
  Tally tally;
  std::uint64_t last_end = 0;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    MLPROF_LET(tensor, ReadTensor(cursor, version));
    MLPROF_TRY(tally.Add(tensor.block->name, tensor.elements, tensor.bytes));
    const auto size = static_cast<std::uint64_t>(tensor.bytes);
    if (tensor.offset > bytes.size() || size > bytes.size() - tensor.offset) {
      return Fail(InvalidArgument("a tensor reaches beyond the end of the file: is it whole?"));
    }
    last_end = std::max(last_end, tensor.offset + size);
  }
  MLPROF_TRY(cursor.state());
  if (last_end > cursor.left()) {
    return Fail(InvalidArgument("a tensor reaches beyond the end of the file: is it whole?"));
  }
  WeightsFile file;
  file.format = WeightsFormat::kGguf;
  file.tensors = tally.tensors();
  file.by_type = tally.ByType();
  return file;
}

}  // namespace mlprof::server
