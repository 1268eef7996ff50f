// Registrations that fail leave nothing: no file, no tree, no row.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "common/hash/sha256.h"
#include "server/registry/packed_rows.h"
#include "server/storage/statement.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/fakes/failing_sync.h"
#include "tests/server/profiling/broken_storage.h"
#include "tests/server/registry/registry_fixture.h"

namespace mlprof::server {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::StartsWith;

// No file may grow beyond so many bytes, as on a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    rlimit small = before_;
    small.rlim_cur = bytes;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

class RegistrationTest : public RegistryTest {
 protected:
  static NewModel Words() {
    NewModel model;
    model.workspace = "w";
    model.name = "words";
    return model;
  }
  /// What is there of content and rows, by name; workspaces and the database's own aside.
  std::vector<std::string> Left() {
    std::vector<std::string> left;
    for (const std::string folder : {"content/sha256", "trees", "incoming"}) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / folder)) {
        const bool prefix = entry.is_directory() && folder == "content/sha256";
        if (!prefix) left.push_back(entry.path().lexically_relative(folder_.path()));
      }
    }
    for (const std::string table :
         {"models", "datasets", "sources", "version_counters", "idempotency_keys"}) {
      const auto count = database_->Read([&](Connection& connection) -> Result<std::int64_t> {
        Statement row(connection, ("SELECT count(*) FROM " + table).c_str());
        MLPROF_TRY(row.Step());
        return row.Int(0);
      });
      if (!count || *count > 0) left.push_back("rows of " + table);
    }
    return left;
  }
};

// By what is registered.
class FailedRegistration : public RegistrationTest,
                           public testing::WithParamInterface<const char*> {
 protected:
  bool Is(std::string_view kind) const { return kind == GetParam(); }
  bool Register(const SpooledBody& upload, const IdempotencyKey& key = {"k", "f"}) {
    if (Is("Model")) return models_.Register(Words(), upload, key).has_value();
    if (Is("Source")) return sources_.Register("w", upload, key).has_value();
    return datasets_.Register({"w", "requests", "", "text/plain"}, upload, key).has_value();
  }
  bool Register(const IdempotencyKey& key = {"k", "f"}) {
    return Register(Upload(Is("Dataset") ? "one\ntwo\n" : tar_), key);
  }

  const std::string tar_ = TarBuilder().File("words/model.bin", "weights").Build();
  BrokenStorage storage_{folder_ / "mlprof.db"};
};

INSTANTIATE_TEST_SUITE_P(Of, FailedRegistration, testing::Values("Model", "Dataset", "Source"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(FailedRegistration, LeavesNothingWhereItsRowIsRefused) {
  storage_.Break("INSERT ON " + std::string(GetParam()) + "s");
  EXPECT_FALSE(Register());
  EXPECT_THAT(Left(), IsEmpty());
  storage_.Mend();
  EXPECT_TRUE(Register());
}

TEST_P(FailedRegistration, LeavesNothingWhereALaterRowIsRefused) {
  storage_.Break("INSERT ON idempotency_keys");
  EXPECT_FALSE(Register());
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_P(FailedRegistration, LeavesNothingWhereItsContentDoesNotReachTheDisk) {
  const std::string digest = Is("Dataset") ? PackedDigest({"one", "two"}) : Sha256Hex(tar_);
  // Their names are in place by then.
  for (const std::string& place : {std::string("/trees"), "/" + digest.substr(0, 2)}) {
    if (place == "/trees" && Is("Dataset")) continue;
    const FailingSync failing(place);
    EXPECT_FALSE(Register()) << place;
    // What cannot be removed for good lies in incoming/, which every start empties.
    EXPECT_THAT(Left(), Each(StartsWith("incoming/"))) << place;
  }
  content_ = ContentStore::Open(folder_.path()).value();
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_P(FailedRegistration, LeavesNothingWhereTheDiskIsFullForItsFiles) {
  const std::string large(3'000'000, 'x');
  const SpooledBody upload =
      Upload(Is("Dataset") ? large : TarBuilder().File("words/model.bin", large).Build());
  {
    const FileSizeLimit full(2'000'000);
    EXPECT_FALSE(Register(upload));
  }
  std::filesystem::remove(*upload.file);
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_P(FailedRegistration, KeepsContentThatAnotherRowRefersTo) {
  ASSERT_TRUE(Register());
  const std::size_t files = FilesUnder("content");
  storage_.Break("INSERT ON idempotency_keys");
  EXPECT_FALSE(Register({"another", "f"}));
  EXPECT_EQ(FilesUnder("content"), files);
  storage_.Mend();
  EXPECT_TRUE(Register({"another", "f"}));
}

// It stands in the -wal, and the next start brings its row back.
TEST_P(FailedRegistration, KeepsContentOfACommitThatARestartBringsBack) {
  {
    const FailingSync failing("mlprof.db-wal");
    EXPECT_FALSE(Register());
  }
  EXPECT_EQ(FilesUnder("content"), 1u);
}

TEST_F(RegistrationTest, LeavesNothingWhereTheDiskIsFullForItsRow) {
  NewModel model = Words();
  model.description = std::string(4'000'000, 'x');
  const SpooledBody upload = Upload(TarBuilder().File("a", "b").Build());
  {
    const FileSizeLimit full(2'000'000);
    EXPECT_FALSE(models_.Register(model, upload, {}));
  }
  std::filesystem::remove(*upload.file);
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(RegistrationTest, LeavesNothingOfASourceUnderAKeyOfAnotherRequest) {
  const std::string first = TarBuilder().File("a", "1").Build();
  const std::string second = TarBuilder().File("a", "2").Build();
  ASSERT_TRUE(sources_.Register("w", Upload(first), {"k", "f"}));
  EXPECT_EQ(sources_.Register("w", Upload(second), {"k", "g"}).error().code(),
            ErrorCode::kKeyReused);
  EXPECT_FALSE(content_->HasFile(Sha256Hex(second)));
  EXPECT_FALSE(std::filesystem::exists(content_->TreePath(Sha256Hex(second))));
  EXPECT_TRUE(content_->HasFile(Sha256Hex(first)));
}

TEST_F(RegistrationTest, LeavesNothingOfWhatIsRefused) {
  const std::string bad = TarBuilder().File("a", "b").Typed('2', "link", "").Build();
  EXPECT_FALSE(models_.Register(Words(), Upload(bad), {}));
  EXPECT_FALSE(sources_.Register("w", Upload(bad)));
  EXPECT_FALSE(datasets_.Register({"w", "d", "", "text/plain"}, Upload("ok\n\xff\n"), {}));
  EXPECT_THAT(Left(), IsEmpty());
}

}  // namespace
}  // namespace mlprof::server
