#include "server/registry/dataset_registry.h"

#include <gtest/gtest.h>

#include <fstream>

#include "server/registry/content_guid.h"
#include "server/registry/packed_rows.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

class DatasetRegistryTest : public RegistryTest {
 protected:
  Result<Dataset> Register(const std::string& name, const std::string& body,
                           const IdempotencyKey& key = {}) {
    return datasets_.Register({"default", name, "some rows", "text/plain"}, Upload(body), key);
  }
};

TEST_F(DatasetRegistryTest, DescribesAndKeepsTheRows) {
  const auto made = Register("requests", "one\ntwo\none\n");
  ASSERT_TRUE(made) << made.error().message();
  const auto dataset = datasets_.Get("default", "requests");
  EXPECT_EQ(dataset->id, "requests:1");
  EXPECT_EQ(dataset->description, "some rows");
  EXPECT_EQ(dataset->row_count, 3);
  EXPECT_EQ(dataset->distinct_row_count, 2);
  EXPECT_EQ(dataset->size, Bytes(9));
  EXPECT_EQ(dataset->created, made->created);
  EXPECT_EQ(datasets_.ReadRows(*dataset).value(), (Rows{"one", "two", "one"}));
}

TEST_F(DatasetRegistryTest, IsFoundByTheGuidOfItsContent) {
  const auto made = Register("requests", "one\ntwo\n");
  EXPECT_EQ(made->sha256, PackedDigest({"one", "two"}));
  const std::string guid = ContentGuid(made->sha256);
  EXPECT_EQ(datasets_.Get("default", guid)->id, "requests:1");
  ASSERT_TRUE(Register("same", "one\ntwo\n"));
  EXPECT_EQ(datasets_.Get("default", guid)->id, "same:1");
  EXPECT_EQ(datasets_.Get("other", guid).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(datasets_.Get("default", ContentGuid(std::string(64, '0'))).error().code(),
            ErrorCode::kNotFound);
}

TEST(ContentGuid, ComesBackAsTheDigestItBegins) {
  const std::string digest = "7023130a1ce04a1e879b09cb739bb8f8" + std::string(32, '0');
  EXPECT_EQ(ContentGuid(digest), "7023130a-1ce0-4a1e-879b-09cb739bb8f8");
  EXPECT_EQ(DigestPrefix("7023130A-1ce0-4a1e-879b-09cb739bb8f8"), digest.substr(0, 32));
  for (const char* bad :
       {"", "7023130a1ce04a1e879b09cb739bb8f8", "7023130a-1ce0-4a1e-879b-09cb739bb8fg",
        "7023130a-1ce0-4a1e-879b09-cb739bb8f8"}) {
    EXPECT_FALSE(DigestPrefix(bad)) << bad;
  }
}

TEST_F(DatasetRegistryTest, WarnsOfAFirstRowThatLooksLikeAHeader) {
  const auto codes = [](const Dataset& dataset) {
    std::string all;
    for (const Warning& warning : dataset.warnings) all += warning.code + " ";
    return all;
  };
  const auto as = [&](const std::string& type) {
    return datasets_.Register({"default", "csv", "", type}, Upload("text\n{}\n[1]\n"), {});
  };
  const auto warned = as("text/csv");
  EXPECT_EQ(codes(*warned), "looksLikeHeader ");
  EXPECT_EQ(warned->row_count, 3);
  EXPECT_EQ(datasets_.Get("default", "csv")->warnings, warned->warnings);
  EXPECT_EQ(datasets_.List("default", "csv", {})->value.at(0).warnings, warned->warnings);
  EXPECT_EQ(codes(*as("text/plain")), "looksLikeHeader ");
  EXPECT_EQ(codes(*as("text/csv;header=present")), "");
  EXPECT_EQ(codes(*as("text/csv; header=absent")), "");
  EXPECT_EQ(datasets_.Get("default", "csv")->row_count, 3);
  EXPECT_EQ(codes(*datasets_.RegisterRows({"default", "rows", "", ""}, {"text", "{}"}, {})),
            "looksLikeHeader ");
}

TEST_F(DatasetRegistryTest, PagesThroughTheRows) {
  const auto dataset = Register("requests", "a\nbb\nccc\ndddd\neeeee\n");
  Rows all;
  PageRequest request{.top = 2, .cursor = ""};
  int pages = 0;
  for (;; ++pages) {
    const auto page = datasets_.ReadRowsPage(*dataset, request);
    ASSERT_TRUE(page) << page.error().message();
    all.insert(all.end(), page->value.begin(), page->value.end());
    if (!page->next_cursor) break;
    request.cursor = *page->next_cursor;
  }
  EXPECT_EQ(pages, 2);
  EXPECT_EQ(all, (Rows{"a", "bb", "ccc", "dddd", "eeeee"}));
}

TEST_F(DatasetRegistryTest, RefusesCursorsItHasNotGiven) {
  const auto dataset = Register("requests", "a\nb\n");
  for (const char* cursor : {"x", "9", "9-00000000", "-1", "99999999999999999999"}) {
    const auto page = datasets_.ReadRowsPage(*dataset, {.top = 1, .cursor = cursor});
    ASSERT_FALSE(page) << cursor;
    EXPECT_EQ(page.error().code(), ErrorCode::kInvalidArgument) << cursor;
  }
}

TEST_F(DatasetRegistryTest, ReportsDamagedRows) {
  const auto dataset = Register("requests", "a\nb\n");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "content")) {
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 15);
  }
  EXPECT_EQ(datasets_.ReadRows(*dataset).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(datasets_.ReadRowsPage(*dataset, {}).error().code(), ErrorCode::kInternal);
}

TEST_F(DatasetRegistryTest, RefusesBadRowsAndLeavesNothing) {
  const auto refused = Register("requests", "a\n\xff\n");
  EXPECT_EQ(refused.error().fields().at(0).pointer, "/rows/1");
  EXPECT_EQ(FilesUnder("content"), 0u);
  EXPECT_EQ(FilesUnder("incoming"), 0u);
  EXPECT_EQ(Register("-", "a").error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(DatasetRegistryTest, GivesForARepeatedKeyTheDatasetItMade) {
  const IdempotencyKey key{"k", "f"};
  ASSERT_TRUE(Register("requests", "a\n", key));
  EXPECT_EQ(Register("requests", "a\n", key)->version, 1);
  EXPECT_EQ(Register("requests", "b\n", {"k", "g"}).error().code(), ErrorCode::kKeyReused);
  EXPECT_EQ(Register("requests", "a\n")->version, 2);
}

TEST_F(DatasetRegistryTest, ListsByName) {
  ASSERT_TRUE(Register("a", "x\n"));
  ASSERT_TRUE(Register("b", "x\n"));
  EXPECT_EQ(datasets_.List("default", "", {})->value.size(), 2u);
  EXPECT_EQ(datasets_.List("default", "a", {})->value.at(0).id, "a:1");
  EXPECT_TRUE(datasets_.List("elsewhere", "", {})->value.empty());
}

TEST_F(DatasetRegistryTest, DeletesWhatNoUnfinishedProfileUses) {
  ASSERT_TRUE(Register("requests", "a\n"));
  Profile profile = profiles_.Create(ExampleProfile("p"), {}, false)->profile;
  EXPECT_EQ(datasets_.Delete("default", "requests").error().code(), ErrorCode::kConflict);
  profile.state = ProfileState::kFailed;
  ASSERT_TRUE(profiles_.Update(profile, ProfileState::kQueued));
  ASSERT_TRUE(datasets_.Delete("default", "requests"));
  EXPECT_EQ(FilesUnder("content"), 0u);
  EXPECT_EQ(datasets_.Delete("default", "requests").error().code(), ErrorCode::kNotFound);
}

TEST_F(DatasetRegistryTest, DeletesNoTraceThatAnUnfinishedProfileReplays) {
  ASSERT_TRUE(Register("requests", "a\n"));
  ASSERT_TRUE(Register("times", "1\n2\n"));
  Profile wanted = ExampleProfile("p");
  wanted.request.objective.requests_per_second = 1;
  wanted.request.objective.arrivals = Arrivals::Trace("times:1");
  Profile profile = profiles_.Create(wanted, {}, false)->profile;
  EXPECT_EQ(datasets_.Delete("default", "times").error().code(), ErrorCode::kConflict);
  profile.state = ProfileState::kFailed;
  ASSERT_TRUE(profiles_.Update(profile, ProfileState::kQueued));
  EXPECT_TRUE(datasets_.Delete("default", "times"));
}

// VmRSS or VmHWM of this process.
Bytes Resident(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(which)) return KiB(std::stoll(line.substr(which.size() + 1)));
  }
  return {};
}

TEST_F(DatasetRegistryTest, RegistersALargeTextInAFewMebibytes) {
  SpooledBody body = Upload("");
  std::ofstream text(*body.file, std::ios::binary);
  const std::string row(64 << 10, 'x');
  for (int i = 0; i < 1600; ++i) text << i << row << '\n';
  text.close();
  std::ofstream("/proc/self/clear_refs") << "5";  // forgets the peak
  [[maybe_unused]] const Bytes before = Resident("VmRSS:");
  const auto made = datasets_.Register({"default", "large", "", "text/plain"}, body, {});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->row_count, 1600);
  EXPECT_EQ(made->distinct_row_count, 1600);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT((Resident("VmHWM:") - before).mib(), 20);
#endif
}

}  // namespace
}  // namespace mlprof::server
