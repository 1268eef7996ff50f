// Bytes from memory, in pieces of a chosen size, and a sink that remembers what it was given.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "common/tar/tar_reader.h"

namespace mlprof {

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string bytes, std::size_t piece = 1000)
      : bytes_(std::move(bytes)), piece_(piece) {}
  Result<std::size_t> Read(std::span<char> buffer) override {
    const std::size_t size = std::min({buffer.size(), piece_, bytes_.size() - at_});
    std::copy_n(bytes_.data() + at_, size, buffer.data());
    at_ += size;
    return size;
  }

 private:
  std::string bytes_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

class MemorySink : public TarSink {
 public:
  Status MakeDirectory(const std::string& path) override {
    files[path + "/"] = "";
    return {};
  }
  Status BeginFile(const std::string& path) override {
    current_ = &files[path];
    return {};
  }
  Status Write(std::span<const char> bytes) override {
    current_->append(bytes.data(), bytes.size());
    return {};
  }
  Status EndFile() override { return {}; }

  std::map<std::string, std::string> files;  // directories end in '/'

 private:
  std::string* current_ = nullptr;
};

}  // namespace mlprof
