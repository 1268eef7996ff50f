// Which stored content rows refer to. Tables are read whole and by no index, and every row against
// its checksum: a damaged index or row never makes content look like nobody's.
#pragma once

#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof::server {

class ContentStore;
class Database;

/// One row of it: a digest, who refers to it ("the model words:1"), whether the row is intact.
extern const char* const kReferencesSql;

/// By digest, one of those that refer to it. kInternal where a row is damaged, so that nobody
/// knows.
Result<std::map<std::string, std::string>> ReferencedContent(Database& database);

/// After rows went: removes of their content what no other row refers to. Nothing is removed before
/// the database has passed its check, or on the word of one that is in trouble, whose next start
/// may know more: the next start finds it. Nor is what somebody has a claim on. Takes the content
/// store's lock, for no longer than it takes to decide.
Status RemoveUnreferenced(Database& database, ContentStore& content,
                          std::span<const std::string> digests);

/// The same, where a failure is nobody's to mend: it is logged, and the next start puts what was
/// left behind into the quarantine.
void ForgetContent(Database& database, ContentStore& content, std::span<const std::string> digests);

/// Content that no row refers to and nobody claims.
struct OrphanContent {
  std::string sha256;
  Bytes size;
};

/// What there is of it now: what a removal left behind while the disk or the database failed.
/// kUnavailable before the database has passed its check. Takes the content store's lock, but not
/// while it measures.
Result<std::vector<OrphanContent>> FindOrphanContent(Database& database, ContentStore& content);
/// Moves what of it is there into the quarantine, and says what that was.
Result<std::vector<OrphanContent>> QuarantineOrphanContent(Database& database,
                                                           ContentStore& content, Timestamp now,
                                                           const std::stop_token& stop);

/// After a start, once the database has passed its check: content that rows lack is taken back from
/// the quarantine, or told to be missing; what no row refers to goes into the quarantine: a crash
/// left it, or the database is not the one it belongs to. Others may use both meanwhile: the
/// content store's lock is held for one file at a time, and never while one is read. Goes on after
/// a file that cannot be taken back; the error is then of one of those. kCancelled at the stop.
Status ReconcileContent(Database& database, ContentStore& content, Timestamp now,
                        const std::stop_token& stop = {});

}  // namespace mlprof::server
