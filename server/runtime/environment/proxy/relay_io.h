// The few blocking steps a relayed connection needs; each ends at its deadline and by its stop.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "common/os/unique_fd.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/environment/proxy/endpoint.h"

namespace mlprof::server::environment {

/// How often who waits looks whether it is to stop.
inline constexpr std::chrono::milliseconds kRelayLook{250};

Status SendAll(int fd, std::string_view bytes, const Patience& patience);

/// Reads through the empty line that ends an HTTP head: that head, and whatever came with it.
/// kTooLarge above `longest` bytes.
struct HeadAndMore {
  std::string head;
  std::string more;
};
Result<HeadAndMore> ReceiveHead(int fd, std::size_t longest, const Patience& patience);

/// Connects to the first of `addresses` that answers. The socket does not block.
Result<UniqueFd> ConnectTo(const std::vector<IpAddress>& addresses, unsigned short port,
                           const Patience& patience);

}  // namespace mlprof::server::environment
