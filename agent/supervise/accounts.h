// The image's USER turned into numbers with a parser of our own: a static program has no NSS. The
// rules are Docker's. Pure.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof::agent {

struct Identity {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary
  std::string home;           // "" where /etc/passwd names none
  bool operator==(const Identity&) const = default;
};

inline constexpr uid_t kNobody = 65534;

/// `user` is "", "name", "uid", "name:group", "uid:gid" or a mixture; "" is root. kNotFound for a
/// name that the files do not have. Lines that cannot be read are skipped.
Result<Identity> ResolveUser(std::string_view user, std::string_view passwd,
                             std::string_view group);

}  // namespace mlprof::agent
