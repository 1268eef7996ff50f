// Which stored content rows refer to. Tables are read whole and by no index, and every row against
// its checksum: a damaged index or row never makes content look like nobody's.
#pragma once

#include <map>
#include <span>
#include <stop_token>
#include <string>

#include "common/result/result.h"
#include "common/time/timestamp.h"

namespace mlprof {

class ContentStore;
class Database;

/// One row of it: a digest, who refers to it ("the model words:1"), whether the row is intact.
extern const char* const kReferencesSql;

/// By digest, one of those that refer to it. kInternal where a row is damaged, so that nobody
/// knows.
Result<std::map<std::string, std::string>> ReferencedContent(Database& database);

/// After rows went: removes of their content what no other row refers to. Nothing is removed before
/// the database has passed its check, or on the word of one that is in trouble, whose next start
/// may know more: the next start finds it. The caller holds the content store's lock.
Status RemoveUnreferenced(Database& database, ContentStore& content,
                          std::span<const std::string> digests);

/// After a start, once the database has passed its check: content that rows lack is taken back from
/// the quarantine, or told to be missing; what no row refers to goes into the quarantine: a crash
/// left it, or the database is not the one it belongs to. Others may use both meanwhile: the
/// content store's lock is held for one file at a time, and never while one is read. Goes on after
/// a file that cannot be taken back; the error is then of one of those. kCancelled at the stop.
Status ReconcileContent(Database& database, ContentStore& content, Timestamp now,
                        const std::stop_token& stop = {});

}  // namespace mlprof
