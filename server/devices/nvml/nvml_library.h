// The driver's library, opened at run time: a table of its functions. One that the library does not
// have is null, and what it would tell is absent. The functions are thread-safe, as NVIDIA says.
#pragma once

#include <memory>
#include <string>

#include "server/devices/gpu/device_error.h"
#include "server/devices/nvml/nvml_api.h"

namespace mlprof::server::nvml {

inline constexpr const char* kLibraryName = "libnvidia-ml.so.1";

struct Functions {
  Code (*init)() = nullptr;
  Code (*shutdown)() = nullptr;
  const char* (*error_text)(Code) = nullptr;
  Code (*driver_version)(char*, unsigned) = nullptr;
  Code (*count)(unsigned*) = nullptr;
  Code (*by_index)(unsigned, Handle*) = nullptr;
  Code (*by_uuid)(const char*, Handle*) = nullptr;
  Code (*uuid)(Handle, char*, unsigned) = nullptr;
  Code (*name)(Handle, char*, unsigned) = nullptr;
  Code (*pci)(Handle, PciInfo*) = nullptr;
  Code (*memory)(Handle, Memory*) = nullptr;
  Code (*memory_v2)(Handle, MemoryV2*) = nullptr;
  Code (*utilization)(Handle, Utilization*) = nullptr;
  Code (*power)(Handle, unsigned*) = nullptr;
  Code (*energy)(Handle, unsigned long long*) = nullptr;
  Code (*clock)(Handle, unsigned, unsigned*) = nullptr;
  Code (*temperature)(Handle, unsigned, unsigned*) = nullptr;
  Code (*clock_reasons)(Handle, unsigned long long*) = nullptr;
  Code (*mig_mode)(Handle, unsigned*, unsigned*) = nullptr;
  Code (*most_parts)(Handle, unsigned*) = nullptr;
  Code (*part)(Handle, unsigned, Handle*) = nullptr;
  Code (*processes)(Handle, unsigned*, ProcessInfo*) = nullptr;
  Code (*samples)(Handle, unsigned, unsigned long long, int*, unsigned*, Sample*) = nullptr;
  Code (*accounting_mode)(Handle, unsigned*) = nullptr;
  Code (*accounting)(Handle, unsigned, AccountingStats*) = nullptr;
};

/// Open and begun; the library is shut down and unloaded with it, as NVIDIA's own binding for Go
/// does: one that stayed in memory would be the old one again after the driver's update.
class Library {
 public:
  /// The loader's path is looked through, unless `file` is a path.
  static devices::DeviceResult<std::unique_ptr<Library>> Open(
      const std::string& file = kLibraryName);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Functions& functions() const { return functions_; }
  /// The library's own words, with its number.
  std::string TextOf(Code code) const;

 private:
  Library() = default;

  void* opened_ = nullptr;
  Functions functions_;
  bool begun_ = false;
};

/// What a call's failure says; `text` are the driver's words.
devices::DeviceError ErrorOf(Code code, const std::string& text);

}  // namespace mlprof::server::nvml
