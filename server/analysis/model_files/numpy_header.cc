#include "server/analysis/model_files/numpy_header.h"

#include <charconv>

#include "server/analysis/model_files/element_type.h"
#include "server/analysis/model_files/formats.h"

namespace mlprof::server {
namespace {

constexpr std::uint64_t kMostNumPyHeader = 1UL << 20U;
constexpr std::size_t kMostNumPyExtents = 64;

// What stands behind "'key':" in the text of a dict; empty where the key is not there.
std::string_view Behind(std::string_view dict, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const std::size_t at = dict.find(quoted);
  if (at == std::string_view::npos) return {};
  dict.remove_prefix(at + quoted.size());
  while (dict.starts_with(' ')) dict.remove_prefix(1);
  return dict;
}

// "<f4", "|u1", ">i8"; nullptr for texts, objects and records.
const ElementType* TypeOfNumPy(std::string_view descr) {
  if (!descr.starts_with('\'')) return nullptr;
  descr = descr.substr(1, descr.find('\'', 1) - 1);
  if (descr.size() != 3 && descr.size() != 4) return nullptr;
  const std::string_view bytes = descr.substr(2);
  const auto of = [&](std::string_view kind) {
    int size = 0;
    std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
    return FindElementType(std::string(kind) + std::to_string(size * 8));
  };
  switch (descr[1]) {
    case 'f': return of("float");
    case 'i': return of("int");
    case 'u': return of("uint");
    case 'c': return of("complex");
    case 'b': return FindElementType("bool");
    default: return nullptr;
  }
}

std::optional<std::vector<std::int64_t>> ShapeOfNumPy(std::string_view text) {
  if (!text.starts_with('(')) return std::nullopt;
  text.remove_prefix(1);
  std::vector<std::int64_t> shape;
  while (shape.size() <= kMostNumPyExtents) {
    while (text.starts_with(' ') || text.starts_with(',')) text.remove_prefix(1);
    if (text.starts_with(')')) return shape;
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    shape.push_back(extent);
  }
  return std::nullopt;
}

}  // namespace

Status AddNumPyArray(ByteCursor& cursor, std::uint64_t file_size, Tally& tally) {
  const std::uint64_t began = cursor.at();
  if (cursor.Text(6, 6) != "\x93NUMPY") return Fail(InvalidArgument("it is no array of NumPy's"));
  const int version = cursor.U8();
  cursor.U8();
  const std::uint64_t length = version == 1 ? cursor.U16() : cursor.U32();
  const std::string dict = cursor.Text(length, kMostNumPyHeader);
  MLPROF_TRY(cursor.state());
  const auto shape = ShapeOfNumPy(Behind(dict, "shape"));
  const auto elements = shape ? Elements(*shape) : std::nullopt;
  if (!elements) return Fail(InvalidArgument("the array has a shape that is none"));
  const std::uint64_t head = cursor.at() - began;
  if (head > file_size) return Fail(InvalidArgument("the file ends within its header"));
  const auto held = static_cast<std::int64_t>(file_size - head);
  const ElementType* type = TypeOfNumPy(Behind(dict, "descr"));
  if (type == nullptr) return tally.Add("other", *elements, held);  // texts, records, objects
  const auto bytes = BytesOf(*elements, type->bits);
  if (!bytes || *bytes > held) {
    return Fail(InvalidArgument("the array reaches beyond the end of the file: is it whole?"));
  }
  return tally.Add(type->name, *elements, *bytes);
}

Result<WeightsFile> ReadNumPyArray(RandomBytes& bytes) {
  ByteCursor cursor(bytes);
  Tally tally;
  MLPROF_TRY(AddNumPyArray(cursor, bytes.size(), tally));
  WeightsFile file;
  file.format = WeightsFormat::kNumPy;
  file.tensors = tally.tensors();
  file.by_type = tally.ByType();
  return file;
}

}  // namespace mlprof::server
