#include "server/registry/tentative_source.h"

#include "common/log/thrown.h"
#include "server/registry/source_registry.h"

namespace mlprof::server {

TentativeSource::~TentativeSource() {
  if (ticket_ == 0) return;
  try {
    registry_->TakeBack({workspace_, id_}, ticket_);
  } catch (...) {
    LogThrown("a source was left behind", id_);
  }
}

void TentativeSource::Keep() {
  if (ticket_ != 0) registry_->Settle({workspace_, id_});
  ticket_ = 0;
}

}  // namespace mlprof::server
