#include <array>
#include <utility>

#include "common/json/json.h"
#include "server/analysis/model_files/byte_cursor.h"
#include "server/analysis/model_files/element_type.h"
#include "server/analysis/model_files/formats.h"
#include "server/analysis/model_files/tally.h"

namespace mlprof::server {
namespace {

// Of 100,000 tensors it is some 11 MB.
constexpr std::uint64_t kMostHeader = 32UL * 1024 * 1024;
constexpr std::size_t kMostNodes = 2'000'000;

constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kSafetensorsTypes = {
    {{"F64", "float64"},
     {"F32", "float32"},
     {"F16", "float16"},
     {"BF16", "bfloat16"},
     {"F8_E4M3", "float8"},
     {"F8_E5M2", "float8"},
     {"F8_E8M0", "float8"},
     {"F6_E2M3", "float6"},
     {"F6_E3M2", "float6"},
     {"F4", "float4"},
     {"I64", "int64"},
     {"I32", "int32"},
     {"I16", "int16"},
     {"I8", "int8"},
     {"U64", "uint64"},
     {"U32", "uint32"},
     {"U16", "uint16"},
     {"U8", "uint8"},
     {"BOOL", "bool"}}};

const ElementType* TypeOfSafetensors(const Json& dtype) {
  if (!dtype.is_string()) return nullptr;
  for (const auto& [theirs, ours] : kSafetensorsTypes) {
    if (dtype.get_ref<const std::string&>() == theirs) return FindElementType(ours);
  }
  return nullptr;
}

// A list of whole numbers; nullopt where it is anything else.
std::optional<std::vector<std::int64_t>> Numbers(const Json& list) {
  if (!list.is_array()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Json& number : list) {
    if (!number.is_number_integer()) return std::nullopt;
    numbers.push_back(number.get<std::int64_t>());
  }
  return numbers;
}

Error BadTensor(const std::string& name, const std::string& why) {
  return InvalidArgument("tensor \"" + name.substr(0, 200) + "\" " + why);
}

Status AddTensor(const std::string& name, const Json& tensor, std::uint64_t data, Tally& tally) {
  if (!tensor.is_object() || !tensor.contains("dtype") || !tensor.contains("shape") ||
      !tensor.contains("data_offsets")) {
    return Fail(BadTensor(name, "lacks a dtype, a shape or its data_offsets"));
  }
  const ElementType* type = TypeOfSafetensors(tensor["dtype"]);
  if (type == nullptr) return Fail(BadTensor(name, "has a type that is not known"));
  const auto shape = Numbers(tensor["shape"]);
  const auto offsets = Numbers(tensor["data_offsets"]);
  const auto elements = shape ? Elements(*shape) : std::nullopt;
  const auto size = elements ? BytesOf(*elements, type->bits) : std::nullopt;
  if (!size || !offsets || offsets->size() != 2) {
    return Fail(BadTensor(name, "has a shape or offsets that are none"));
  }
  const std::int64_t begin = offsets->front();
  const std::int64_t end = offsets->back();
  if (begin < 0 || end < begin || end - begin != *size) {
    return Fail(BadTensor(name, "has offsets that do not hold its shape"));
  }
  if (static_cast<std::uint64_t>(end) > data) {
    return Fail(BadTensor(name, "reaches beyond the end of the file: is it whole?"));
  }
  return tally.Add(type->name, *elements, *size);
}

}  // namespace

Result<WeightsFile> ReadSafetensors(RandomBytes& bytes) {
  ByteCursor cursor(bytes);
  const std::uint64_t length = cursor.U64();
  const std::string header = cursor.Text(length, kMostHeader);
  MLPROF_TRY(cursor.state());
  MLPROF_LET(json, ParseJson(header, {header.size() + 1, 8, kMostNodes}));
  if (!json.is_object()) return Fail(InvalidArgument("its header is no object"));
  Tally tally;
  for (const auto& [name, tensor] : json.items()) {
    if (name == "__metadata__") continue;
    MLPROF_TRY(AddTensor(name, tensor, cursor.left(), tally));
  }
  WeightsFile file;
  file.format = WeightsFormat::kSafetensors;
  file.tensors = tally.tensors();
  file.by_type = tally.ByType();
  return file;
}

}  // namespace mlprof::server
