// PyTorch's archives and NumPy's are zip files of entries with known names.
#include <array>
#include <map>
#include <set>
#include <utility>

#include "server/analysis/model_files/element_type.h"
#include "server/analysis/model_files/formats.h"
#include "server/analysis/model_files/numpy_header.h"
#include "server/analysis/model_files/pickle_scan.h"
#include "server/analysis/model_files/zip_directory.h"

namespace mlprof::server {
namespace {

constexpr std::uint64_t kMostPickle = 64UL * 1024 * 1024;
constexpr std::uint64_t kHeadOfArray = 64UL * 1024;
constexpr std::size_t kMostArrays = 20'000;

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kStorages = {
    {{"FloatStorage", "float32"},
     {"DoubleStorage", "float64"},
     {"HalfStorage", "float16"},
     {"BFloat16Storage", "bfloat16"},
     {"LongStorage", "int64"},
     {"IntStorage", "int32"},
     {"ShortStorage", "int16"},
     {"CharStorage", "int8"},
     {"ByteStorage", "uint8"},
     {"BoolStorage", "bool"},
     {"ComplexFloatStorage", "complex64"},
     {"ComplexDoubleStorage", "complex128"},
     {"QInt8Storage", "int8"},
     {"QUInt8Storage", "uint8"},
     {"QInt32Storage", "int32"}}};

const ElementType* TypeOfStorage(std::string_view global) {
  const std::string_view name = global.substr(global.rfind('.') + 1);
  for (const auto& [theirs, ours] : kStorages) {
    if (theirs == name) return FindElementType(ours);
  }
  return nullptr;
}

// One that the pickle names: ("storage", torch.FloatStorage, "0", "cpu", 1024).
struct Storage {
  std::string key;
  const ElementType* type;  // nullptr: it is not told
  std::int64_t elements;
};

std::optional<Storage> AsStorage(const PickleValue& id) {
  using Kind = PickleValue::Kind;
  const auto& items = id.items;
  if (id.kind != Kind::kTuple || items.size() < 5 || items[0].text != "storage" ||
      items[1].kind != Kind::kGlobal || items[2].kind != Kind::kText ||
      items[4].kind != Kind::kNumber) {
    return std::nullopt;
  }
  return Storage{items[2].text, TypeOfStorage(items[1].text), items[4].number};
}

using Entries = std::map<std::string, const ZipEntry*, std::less<>>;

Status AddStorage(const Storage& storage, const ZipEntry& entry, Tally& tally) {
  const auto held = static_cast<std::int64_t>(entry.size);
  if (storage.type == nullptr) return tally.Add("other", 0, held);
  const auto bytes = BytesOf(storage.elements, storage.type->bits);
  if (!bytes || *bytes > held) {
    return Fail(InvalidArgument("storage " + storage.key + " is smaller than its tensors"));
  }
  return tally.Add(storage.type->name, storage.elements, *bytes);
}

// `pickle` names the storages that lie in `folder`.
Status AddStorages(RandomBytes& bytes, const ZipEntry& pickle, const std::string& folder,
                   const Entries& entries, Tally& tally) {
  MLPROF_LET(text, ReadZipEntry(bytes, pickle, kMostPickle));
  BytesInMemory held(std::move(text));
  ByteCursor cursor(held);
  const PickleFacts facts = ScanPickle(cursor);
  if (!facts.whole) return Fail(InvalidArgument(pickle.name + " is cut or cannot be followed"));
  std::set<std::string> seen;
  for (const PickleValue& id : facts.persistent_ids) {
    const auto storage = AsStorage(id);
    if (!storage || !seen.insert(storage->key).second) continue;
    const auto entry = entries.find(folder + storage->key);
    if (entry == entries.end()) {
      return Fail(InvalidArgument("storage " + storage->key + " is not in the archive"));
    }
    MLPROF_TRY(AddStorage(*storage, *entry->second, tally));
  }
  return {};
}

Status AddPyTorch(RandomBytes& bytes, const std::string& root, const Entries& entries,
                  Tally& tally) {
  MLPROF_TRY(AddStorages(bytes, *entries.at(root + "data.pkl"), root + "data/", entries, tally));
  const auto constants = entries.find(root + "constants.pkl");
  if (constants == entries.end()) return {};
  return AddStorages(bytes, *constants->second, root + "constants/", entries, tally);
}

Status AddArrays(RandomBytes& bytes, const Entries& entries, Tally& tally) {
  if (entries.size() > kMostArrays) {
    return Fail(InvalidArgument("the archive has more arrays than are read"));
  }
  for (const auto& [name, entry] : entries) {
    if (!name.ends_with(".npy")) continue;
    MLPROF_LET(head, ReadZipEntry(bytes, *entry, kHeadOfArray));
    BytesInMemory held(std::move(head));
    ByteCursor cursor(held);
    MLPROF_TRY(AddNumPyArray(cursor, entry->size, tally));
  }
  return {};
}

// "archive/" of "archive/data.pkl".
std::optional<std::string> RootOfPyTorch(const Entries& entries) {
  for (const auto& [name, entry] : entries) {
    if (name == "data.pkl" || name.ends_with("/data.pkl")) {
      return name.substr(0, name.size() - std::string_view("data.pkl").size());
    }
  }
  return std::nullopt;
}

}  // namespace

Result<WeightsFile> ReadZipArchive(RandomBytes& bytes) {
  MLPROF_LET(directory, ReadZipDirectory(bytes));
  Entries entries;
  bool arrays = false;
  for (const ZipEntry& entry : directory) {
    entries[entry.name] = &entry;
    arrays = arrays || entry.name.ends_with(".npy");
  }
  WeightsFile file;
  Tally tally;
  if (const auto root = RootOfPyTorch(entries)) {
    file.format = WeightsFormat::kPyTorch;
    MLPROF_TRY(AddPyTorch(bytes, *root, entries, tally));
  } else if (arrays) {
    file.format = WeightsFormat::kNumPy;
    MLPROF_TRY(AddArrays(bytes, entries, tally));
  } else {
    return Fail(NotFound("the archive holds no parameters that are known"));
  }
  file.tensors = tally.tensors();
  file.by_type = tally.ByType();
  return file;
}

}  // namespace mlprof::server
