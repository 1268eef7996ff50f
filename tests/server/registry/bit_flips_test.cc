// Bits that change in the database of a data directory. Whatever changes, a start ends in one of
// three: it refuses and touches nothing, what is read is what was written, or reading says that it
// is damaged.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "common/json/domain_json.h"
#include "server/registry/content_references.h"
#include "server/storage/azure_blobs.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

constexpr int kDamages = 200;
constexpr int kEach = 4;  // models, datasets, profiles

/// All that is told of a data directory, by what it is of; "damaged" for what says so.
using Views = std::map<std::string, std::string>;

class BitFlipsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { original_ = std::make_unique<TemporaryDirectory>(); }
  static void TearDownTestSuite() { original_.reset(); }

  void SetUp() override {
    Fill();
    bytes_ = BytesOf(*original_ / "mlprof.db");
    files_ = ContentFiles(original_->path());
  }

  static void Fill() {
    const auto database = Database::Open(*original_ / "mlprof.db").value();
    const auto content = ContentStore::Open(original_->path()).value();
    ModelRegistry models(*database, *content);
    DatasetRegistry datasets(*database, *content);
    ProfileRepository profiles(*database);
    for (int i = 0; i < kEach; ++i) {
      const std::string name = "name-" + std::to_string(i);
      const std::string tar = TarBuilder().File("model.bin", name).Build();
      const auto file = std::make_shared<const fs::path>(content->NewIncomingPath());
      WriteBytes(*file, tar);
      NewModel model;
      model.workspace = "default";
      model.name = name;
      model.tags = {{"tag", name}};
      ASSERT_TRUE(models.Register(model, {file, Bytes(0), ""}, {}));
      fs::remove(*file);
      ASSERT_TRUE(datasets.RegisterRows({"default", name, "", ""}, {name, "row"}, {}));
      Profile profile = ExampleProfile(name);
      profile.recommendation = Recommendation{};
      profile.recommendation->requested = {Cores(0.5 + i), MiB(512)};
      const auto made = profiles.Create(profile, {}, false);
      ASSERT_TRUE(made);
      Trial trial;
      trial.number = 1;
      trial.verdict = std::string(8000, static_cast<char>('a' + i));
      ASSERT_TRUE(profiles.AddTrial(made->profile.id, trial));
      ASSERT_TRUE(profiles.AppendLog(made->profile.id, std::string(3000, 'l')));
    }
  }

  static std::set<std::string> ContentFiles(const fs::path& directory) {
    std::set<std::string> files;
    for (const char* folder : {"content", "quarantine"}) {
      if (!fs::exists(directory / folder)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(directory / folder)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_regular_file() && IsContent(entry.path())) files.insert(name);
      }
    }
    return files;
  }
  static bool IsContent(const fs::path& file) { return file.filename().string().size() == 64; }

  template <class Value, class Text>
  static std::string Told(const Result<Value>& value, Text text) {
    if (value) return text(*value);
    return value.error().code() == ErrorCode::kInternal ? "damaged" : "not there";
  }

  static Views Ask(Database& database, ContentStore& content) {
    ModelRegistry models(database, content);
    DatasetRegistry datasets(database, content);
    ProfileRepository profiles(database);
    Views views;
    for (int i = 0; i < kEach; ++i) {
      const std::string name = "name-" + std::to_string(i);
      views["model " + name] = Told(models.Get("default", name), [&](const Model& model) {
        const auto files = models.Verified(model, {});
        return DumpJson(EncodeModel(model)) + (files ? "" : "without files");
      });
      views["dataset " + name] = Told(datasets.Get("default", name), [&](const Dataset& dataset) {
        const auto rows = datasets.ReadRows(dataset);
        return DumpJson(EncodeDataset(dataset)) + (rows ? rows->front() : "without rows");
      });
      views["profile " + name] = Told(profiles.Get("default", name), [](const Profile& profile) {
        return DumpJson(EncodeProfile(profile));
      });
    }
    return views;
  }

  static Views AskForTrials(Database& database) {
    ProfileRepository profiles(database);
    Views views;
    for (int i = 0; i < kEach; ++i) {
      const auto profile = profiles.Get("default", "name-" + std::to_string(i));
      if (!profile) continue;
      views[profile->id] = Told(profiles.Trials(profile->id), [](const auto& trials) {
        std::string text;
        for (const Trial& trial : trials) text += DumpJson(EncodeTrial(trial));
        return text;
      });
    }
    return views;
  }

  static Views AskForLogs(Database& database) {
    ProfileRepository profiles(database);
    Views views;
    for (int i = 0; i < kEach; ++i) {
      const auto profile = profiles.Get("default", "name-" + std::to_string(i));
      if (!profile) continue;
      views[profile->id] =
          Told(profiles.Log(profile->id), [](const std::string& log) { return log; });
    }
    return views;
  }

  /// The bytes with damage number `i`: a bit, a run of bytes, or a page of zeros. Most bytes of a
  /// small database are zeros that hold nothing: others are hit.
  std::string Damaged(int i) const {
    std::mt19937 random(static_cast<unsigned>(i));
    std::string bytes = bytes_;
    std::size_t at = random() % bytes.size();
    while (bytes[at] == 0) at = random() % bytes.size();
    if (i % 4 == 3) {
      for (std::size_t k = at; k < std::min(at + 16, bytes.size()); ++k) {
        bytes[k] = static_cast<char>(random());
      }
    } else if (i % 24 == 2) {
      bytes.replace(at / kPageBytes * kPageBytes, kPageBytes, kPageBytes, '\0');
    } else {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    }
    return bytes;
  }

  static inline std::unique_ptr<TemporaryDirectory> original_;
  std::string bytes_;
  std::set<std::string> files_;
};

TEST_F(BitFlipsTest, NeverDeleteAFileAndNeverTellAnythingWrong) {
  Views expected;
  Views trials;
  Views logs;
  {
    const auto database = Database::Open(*original_ / "mlprof.db").value();
    const auto content = ContentStore::Open(original_->path()).value();
    expected = Ask(*database, *content);
    trials = AskForTrials(*database);
    logs = AskForLogs(*database);
  }
  int refused = 0;
  int unseen_in_logs = 0;
  for (int i = 0; i < kDamages; ++i) {
    SCOPED_TRACE(i);
    const TemporaryDirectory copy;
    fs::copy(original_->path(), copy.path(), fs::copy_options::recursive);
    const std::string damaged = Damaged(i);
    WriteBytes(copy / "mlprof.db", damaged);
    auto database = Database::Open(copy / "mlprof.db");
    if (!database) {
      ++refused;
      EXPECT_EQ(BytesOf(copy / "mlprof.db"), damaged);
      EXPECT_FALSE(fs::exists(copy / "mlprof.db-wal"));
      EXPECT_EQ(ContentFiles(copy.path()), files_);
      EXPECT_NE(database.error().message().find("backup"), std::string::npos)
          << database.error().message();
      continue;
    }
    const auto content = ContentStore::Open(copy.path()).value();
    static_cast<void>(ReconcileContent(**database, *content, Now()));
    EXPECT_EQ(ContentFiles(copy.path()), files_);
    const Views views = Ask(**database, *content);
    for (const auto& [of, view] : views) {
      EXPECT_TRUE(view == "damaged" || view == expected[of]) << of << ": " << view;
    }
    for (const auto& [of, view] : AskForTrials(**database)) {
      EXPECT_TRUE(view == "damaged" || view == trials[of]) << of << ": " << view;
    }
    unseen_in_logs += AskForLogs(**database) == logs ? 0 : 1;
  }
  // Logs have no checksum, and here they are a third of what the database holds; see "What is not
  // seen" in docs/OPERATIONS.md.
  EXPECT_LE(unseen_in_logs, 80);
  EXPECT_GE(refused, 40);
  RecordProperty("refused", refused);
  RecordProperty("unseen_in_logs", unseen_in_logs);
  std::printf("of %d: refused %d, not seen in logs %d\n", kDamages, refused, unseen_in_logs);
}

}  // namespace
}  // namespace mlprof::server
