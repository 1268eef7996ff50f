// One regular file of a copied tree.
#pragma once

#include <sys/stat.h>

#include <string>

#include "common/result/result.h"

namespace mlprof::agent {

/// A name in an open folder.
struct NamedIn {
  int folder;
  const std::string& name;
};

/// Replaces what has that name. Holes stay holes. `path` names it in errors.
Status CopyFile(const NamedIn& from, const NamedIn& to, const struct stat& status,
                const std::string& path);

/// Rights without setuid, setgid and sticky bits, and the times.
Status GiveRights(int fd, const struct stat& status, const std::string& path);

}  // namespace mlprof::agent
