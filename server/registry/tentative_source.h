// A source that somebody registered for something that may yet fail.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace mlprof::server {

class SourceRegistry;

/// Takes the source back when it goes, unless Keep() was called: an exception takes it back too.
/// One that was there before, or that somebody else registered or uses meanwhile, stays. The
/// registry must outlive it.
class TentativeSource {
 public:
  /// `ticket` is the registry's; 0 for a source that was there before.
  TentativeSource(SourceRegistry& registry, std::string workspace, std::string id,
                  std::uint64_t ticket)
      : registry_(&registry),
        workspace_(std::move(workspace)),
        id_(std::move(id)),
        ticket_(ticket) {}
  ~TentativeSource();
  TentativeSource(TentativeSource&& other) noexcept
      : registry_(other.registry_),
        workspace_(std::move(other.workspace_)),
        id_(std::move(other.id_)),
        ticket_(std::exchange(other.ticket_, 0)) {}
  TentativeSource& operator=(TentativeSource&&) = delete;

  const std::string& id() const { return id_; }
  /// What it was for is there.
  void Keep();

 private:
  SourceRegistry* registry_;
  std::string workspace_;
  std::string id_;
  std::uint64_t ticket_;
};

}  // namespace mlprof::server
