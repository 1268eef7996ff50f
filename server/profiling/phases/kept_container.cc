#include "server/profiling/phases/kept_container.h"

#include <exception>
#include <utility>

namespace mlprof::server::phases {

KeptContainer& KeptContainer::operator=(KeptContainer&& other) noexcept {
  Close();
  container_ = std::move(other.container_);
  return *this;
}

void KeptContainer::Close() {
  try {
    if (container_) container_->Close();
  } catch (const std::exception&) {
    // Its destructor removes it.
  }
  container_.reset();
}

}  // namespace mlprof::server::phases
