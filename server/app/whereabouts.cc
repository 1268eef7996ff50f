#include "server/app/whereabouts.h"

#include "common/log/log.h"

namespace mlprof::server {

void TellWhereabouts(const Instance& instance, const std::filesystem::path& data_dir) {
  const LogFields fields = {{"dataDirectory", data_dir.string()},
                            {"formerly", instance.former_path}};
  switch (instance.whereabouts) {
    case Whereabouts::kInPlace: return;
    case Whereabouts::kMoved:
      return LogInfo("the data directory has moved; its containers are still its own", fields);
    case Whereabouts::kCopied:
      return LogWarn(
          "the data directory is a copy of another that is still there; it has an identity of its "
          "own now, and leaves the other's containers alone",
          fields);
    case Whereabouts::kOtherMachine:
      return LogWarn(
          "the data directory has come from another machine; it has an identity of its own now, "
          "and containers that it left there are not removed",
          fields);
  }
}

}  // namespace mlprof::server
