#include "server/storage/database.h"

#include "server/storage/migrator.h"

namespace mlprof {
namespace {

// More readers than this at once are served too; only this many are kept.
constexpr std::size_t kIdleReaders = 4;

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& file,
                                                 std::span<const Migration> migrations) {
  MLPROF_TRY(CheckSchema(file, migrations));
  auto writer = Connection::Open(file, Access::kReadWrite);
  if (!writer) return Fail(writer.error());
  if (Status status = Migrate(**writer, migrations); !status) {
    return Fail(status.error().WithContext(file.string()));
  }
  return std::unique_ptr<Database>(new Database(file, std::move(*writer)));
}

Database::~Database() {
  // The writer goes last: only it can fold the -wal back into the database.
  idle_readers_.clear();
  writer_.reset();
}

Error Database::BrokenError() {
  return Internal(
      "the database stopped taking writes after a disk error; look into the kernel's log, then "
      "restart the server, which recovers what was committed");
}

Result<std::unique_ptr<Connection>> Database::Lend() {
  {
    const std::scoped_lock lock(readers_mutex_);
    if (!idle_readers_.empty()) {
      auto reader = std::move(idle_readers_.back());
      idle_readers_.pop_back();
      return reader;
    }
  }
  return Connection::Open(file_, Access::kReadOnly);
}

void Database::GiveBack(std::unique_ptr<Connection> reader) {
  const std::scoped_lock lock(readers_mutex_);
  if (idle_readers_.size() < kIdleReaders) idle_readers_.push_back(std::move(reader));
}

}  // namespace mlprof
