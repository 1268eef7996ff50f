// Which stored content is still referred to by a row, and the removal of what is not.
#pragma once

#include <string>

#include "common/result/result.h"

namespace mlprof {

class ContentStore;
class Database;

/// After a row went: removes its content unless another row refers to it. The caller holds the
/// content store's lock.
Status RemoveIfUnreferenced(Database& database, ContentStore& content, const std::string& sha256);

/// At start, before uploads: removes what a crash left between publishing and commit, or between
/// a delete and the removal.
Status RemoveUnreferencedContent(Database& database, ContentStore& content);

}  // namespace mlprof
