// What is left of a run whose container is still of use.
#pragma once

#include <memory>
#include <utility>

#include "server/profiling/lab/container.h"

namespace mlprof::server::phases {

/// A container that serves on behind its run; closed where nobody closes it before.
class KeptContainer {
 public:
  KeptContainer() = default;
  explicit KeptContainer(std::unique_ptr<Container> container) : container_(std::move(container)) {}
  KeptContainer(KeptContainer&&) noexcept = default;
  KeptContainer& operator=(KeptContainer&& other) noexcept;
  ~KeptContainer() { Close(); }

  void Close();
  /// nullptr where there is none.
  Container* get() const { return container_.get(); }

 private:
  std::unique_ptr<Container> container_;
};

}  // namespace mlprof::server::phases
