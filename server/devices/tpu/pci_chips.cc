#include "server/devices/tpu/pci_chips.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>

namespace mlprof::server::tpu {
namespace {

constexpr const char* kPciDevices = "sys/bus/pci/devices";

// One function of a chip.
struct Function {
  std::string address;  // "0000:00:04.0"
  const Generation* generation = nullptr;
  std::optional<int> group;  // of the IOMMU
};

std::string WordOf(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

std::optional<int> GroupOf(const std::filesystem::path& folder) {
  std::error_code error;
  const std::string name =
      std::filesystem::read_symlink(folder / "iommu_group", error).filename().string();
  int group = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), group);
  if (error || wrong != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return group;
}

std::vector<Function> Functions(const std::filesystem::path& root) {
  std::vector<Function> all;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root / kPciDevices, error), end;
       !error && entry != end; entry.increment(error)) {
    const auto& folder = entry->path();
    if (WordOf(folder / "vendor") != kVendor) continue;
    const auto* generation =
        FindGeneration(WordOf(folder / "device"), WordOf(folder / "subsystem_device"));
    if (generation == nullptr) continue;  // Google's, and no TPU: a network card, a disk
    all.push_back({folder.filename().string(), generation, GroupOf(folder)});
  }
  std::ranges::sort(all, {}, &Function::address);
  return all;
}

bool Exists(const std::filesystem::path& root, const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(root / file.substr(1), error);
}

// In the order of groups, then of addresses; by functions that are in the order of addresses.
std::vector<std::vector<Function>> ByChip(const std::vector<Function>& functions) {
  std::map<std::string, std::vector<Function>> by_address;
  for (const Function& function : functions) {
    by_address[function.address.substr(0, function.address.rfind('.'))].push_back(function);
  }
  std::vector<std::vector<Function>> chips;
  for (auto& [address, of_chip] : by_address) chips.push_back(std::move(of_chip));
  std::ranges::stable_sort(
      chips, {}, [](const std::vector<Function>& chip) { return chip.front().group.value_or(0); });
  return chips;
}

}  // namespace

std::vector<Chip> FindChips(const std::filesystem::path& root) {
  std::vector<Chip> chips;
  for (const std::vector<Function>& functions : ByChip(Functions(root))) {
    const Function& first = functions.front();
    Chip chip{first.address.substr(0, first.address.rfind('.')), first.generation,
              static_cast<int>(chips.size())};
    if (chip.generation->files == ChipFiles::kAccel) {
      chip.files.push_back("/dev/accel" + std::to_string(chip.ordinal));
    } else {
      for (const Function& function : functions) {
        if (function.group) chip.files.push_back("/dev/vfio/" + std::to_string(*function.group));
      }
    }
    const bool whole = std::ranges::all_of(
        chip.files, [&](const std::string& file) { return Exists(root, file); });
    if (!whole) chip.files.clear();
    chips.push_back(std::move(chip));
  }
  return chips;
}

}  // namespace mlprof::server::tpu
