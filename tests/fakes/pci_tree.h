// A machine's PCI bus, /dev and /proc as files of a folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace mlprof::fakes {

/// The folder is removed with it.
class PciTree {
 public:
  PciTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mlprof-pci-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(root_ / "sys/bus/pci/devices");
    std::filesystem::create_directories(root_ / "dev/vfio");
    std::filesystem::create_directories(root_ / "proc");
  }
  ~PciTree() { std::filesystem::remove_all(root_); }
  PciTree(const PciTree&) = delete;
  PciTree& operator=(const PciTree&) = delete;

  /// `group` below 0: in no IOMMU group.
  void Add(const std::string& address, const std::string& vendor, const std::string& device,
           int group = -1, const std::string& subsystem = "0x0000") const {
    const auto folder = root_ / "sys/bus/pci/devices" / address;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "vendor") << vendor << "\n";
    std::ofstream(folder / "device") << device << "\n";
    std::ofstream(folder / "subsystem_device") << subsystem << "\n";
    if (group < 0) return;
    std::filesystem::create_symlink("../../../kernel/iommu_groups/" + std::to_string(group),
                                    folder / "iommu_group");
  }
  void Remove(const std::string& address) const {
    std::filesystem::remove_all(root_ / "sys/bus/pci/devices" / address);
  }
  /// "accel0", "vfio/3".
  void AddFile(const std::string& name) const { std::ofstream(root_ / "dev" / name) << ""; }
  /// A v5e chip with its file.
  void AddV5e(const std::string& address, int group) const {
    Add(address, "0x1ae0", "0x0063", group);
    AddFile("vfio/" + std::to_string(group));
  }
  /// The process has the file of /dev open.
  void Open(int pid, const std::string& file) const {
    const auto folder = root_ / "proc" / std::to_string(pid) / "fd";
    std::filesystem::create_directories(folder);
    std::filesystem::create_symlink(file, folder / "7");
  }
  void Close(int pid) const { std::filesystem::remove_all(root_ / "proc" / std::to_string(pid)); }
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace mlprof::fakes
