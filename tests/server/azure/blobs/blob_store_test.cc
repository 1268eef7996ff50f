#include "server/azure/blobs/blob_store.h"

#include <gmock/gmock.h>

#include "common/hash/sha256.h"
#include "server/azure/blobs/artifact_upload.h"
#include "server/azure/blobs/upload_file.h"
#include "server/registry/content_references.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/fakes/failing_sync.h"
#include "tests/server/registry/registry_fixture.h"

namespace mlprof::server {
namespace {

using testing::ElementsAre;

class BlobStoreTest : public RegistryTest {
 protected:
  SpooledBody Body(const std::string& bytes) {
    SpooledBody body = Upload(bytes);
    body.sha256 = Sha256Hex(bytes);
    return body;
  }
  Status Put(const std::string& path, const std::string& bytes) {
    return blobs_.Put(Named(path), Body(bytes), BlobStore::IfThere::kReplace);
  }
  static BlobName Named(const std::string& path) { return {"s/g/w", "c", path}; }
  std::string Read(const std::string& path) {
    const auto blob = blobs_.Get(Named(path));
    return blob ? Content(blobs_.File(*blob)) : blob.error().message();
  }
  std::vector<std::string> Paths(const std::string& under) {
    std::vector<std::string> paths;
    const auto blobs = blobs_.AtOrBelow(Named(under), 100);
    for (const Blob& blob : *blobs) paths.push_back(blob.path);
    return paths;
  }

  BlobStore blobs_{*database_, *content_};
};

TEST_F(BlobStoreTest, KeepsAFileUntilItIsReplaced) {
  ASSERT_TRUE(Put("a/b", "one"));
  EXPECT_EQ(Read("a/b"), "one");
  ASSERT_TRUE(Put("a/b", "two"));
  EXPECT_EQ(Read("a/b"), "two");
  EXPECT_EQ(FilesUnder("content"), 1u);
  EXPECT_EQ(FilesUnder("incoming"), 0u);
}

TEST_F(BlobStoreTest, RefusesToReplaceWhereThatIsAsked) {
  ASSERT_TRUE(Put("a", "one"));
  const Status again = blobs_.Put(Named("a"), Body("two"), BlobStore::IfThere::kRefuse);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(Read("a"), "one");
  EXPECT_EQ(FilesUnder("content"), 1u);
}

TEST_F(BlobStoreTest, WorkspacesDoNotSeeEachOther) {
  ASSERT_TRUE(Put("a", "one"));
  EXPECT_FALSE(blobs_.Get({"s/g/other", "c", "a"}));
  EXPECT_FALSE(blobs_.Get({"s/g/w", "d", "a"}));
}

TEST_F(BlobStoreTest, JoinsBlocksInTheOrderOfTheList) {
  for (const std::string id : {"b", "a", "unused"}) {
    ASSERT_TRUE(blobs_.PutBlock(Named("big"), id, Body("block " + id + ";")));
  }
  EXPECT_FALSE(blobs_.Get(Named("big")));
  EXPECT_FALSE(blobs_.Join(Named("big"), {"a", "missing"}, BlobStore::IfThere::kReplace));
  // Named again and again, a small block would fill the disk.
  EXPECT_FALSE(blobs_.Join(Named("big"), {"a", "b", "a"}, BlobStore::IfThere::kReplace));
  ASSERT_TRUE(blobs_.Join(Named("big"), {"a", "b"}, BlobStore::IfThere::kReplace));
  EXPECT_EQ(Read("big"), "block a;block b;");
  EXPECT_EQ(FilesUnder("content"), 1u);
  EXPECT_EQ(FilesUnder("incoming"), 0u);
}

TEST_F(BlobStoreTest, ListsByPrefixAndPage) {
  for (const std::string path : {"g/a", "g/b", "g/c", "h"}) ASSERT_TRUE(Put(path, path));
  const auto first = blobs_.List(Named("g/"), {2, ""});
  ASSERT_EQ(first->value.size(), 2u);
  EXPECT_EQ(first->value[1].path, "g/b");
  const auto rest = blobs_.List(Named("g/"), {2, *first->next_cursor});
  ASSERT_EQ(rest->value.size(), 1u);
  EXPECT_FALSE(rest->next_cursor);
  EXPECT_THAT(Paths("g"), ElementsAre("g/a", "g/b", "g/c"));
  EXPECT_EQ(blobs_.AtOrBelow(Named("g"), 2).error().code(), ErrorCode::kTooLarge);
}

TEST_F(BlobStoreTest, RemovesAFolderAndNothingBesideIt) {
  for (const std::string path : {"g/a", "g/b/c", "gh"}) ASSERT_TRUE(Put(path, path));
  ASSERT_TRUE(blobs_.RemoveAtOrBelow(Named("g")));
  EXPECT_THAT(Paths("gh"), ElementsAre("gh"));
  EXPECT_THAT(Paths("g"), ElementsAre());
  EXPECT_EQ(FilesUnder("content"), 1u);
}

TEST_F(BlobStoreTest, BlobsAndBlocksAreContentInUse) {
  ASSERT_TRUE(Put("a", "one"));
  ASSERT_TRUE(blobs_.PutBlock(Named("b"), "id", Body("two")));
  ASSERT_TRUE(ReconcileContent(*database_, *content_, Now()));
  EXPECT_EQ(FilesUnder("content"), 2u);
  EXPECT_EQ(Read("a"), "one");
}

// The disk refused the commit, but it stands in the -wal.
TEST_F(BlobStoreTest, KeepsContentOfACommitThatARestartBringsBack) {
  {
    const FailingSync failing("mlprof.db-wal");
    EXPECT_FALSE(Put("a", "one"));
    EXPECT_FALSE(blobs_.PutBlock(Named("b"), "id", Body("two")));
  }
  EXPECT_FALSE(ReconcileContent(*database_, *content_, Now()));
  EXPECT_EQ(FilesUnder("content"), 2u);
  database_ = nullptr;
  database_ = Database::Open(folder_ / "mlprof.db").value();
  BlobStore blobs(*database_, *content_);
  const auto blob = blobs.Get(Named("a"));
  ASSERT_TRUE(blob) << blob.error().message();
  EXPECT_EQ(Content(blobs.File(*blob)), "one");
}

TEST_F(BlobStoreTest, MakesNoBlobOfADamagedBlock) {
  const SpooledBody body = Body("two");
  ASSERT_TRUE(blobs_.PutBlock(Named("b"), "id", body));
  std::ofstream(content_->FilePath(body.sha256)) << "tow";
  const Status refused = blobs_.Join(Named("b"), {"id"}, BlobStore::IfThere::kReplace);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("the stored block id is damaged"), std::string::npos);
}

TEST_F(BlobStoreTest, WhatNobodyCameBackForIsRemoved) {
  ASSERT_TRUE(Put("a", "one"));
  ASSERT_TRUE(blobs_.PutBlock(Named("b"), "id", Body("two")));
  ASSERT_TRUE(blobs_.RemoveOlder("c", Now() - std::chrono::hours(1)));
  EXPECT_EQ(FilesUnder("content"), 2u);
  ASSERT_TRUE(blobs_.RemoveOlder("other", Now() + std::chrono::hours(1)));
  EXPECT_EQ(FilesUnder("content"), 1u);  // the block went
  ASSERT_TRUE(blobs_.RemoveOlder("c", Now() + std::chrono::hours(1)));
  EXPECT_EQ(FilesUnder("content"), 0u);
}

class ArtifactUploadTest : public BlobStoreTest {
 protected:
  void PutArtifact(const std::string& artifact, const std::string& bytes) {
    ASSERT_TRUE(
        blobs_.Put(*ArtifactName("s/g/w", artifact), Body(bytes), BlobStore::IfThere::kReplace));
  }
  Result<Model> Registered(const std::string& artifact, bool unpack = false) {
    MLPROF_LET(archive, ModelArchive(blobs_, *content_, *ArtifactName("s/g/w", artifact), unpack));
    NewModel model;
    model.workspace = "s/g/w";
    model.name = "m";
    return models_.Register(model, archive, {});
  }
  std::string ModelFile(const Model& model, const std::string& path) {
    return Content(*models_.Files(model) / path);
  }
  static std::string Tar(const std::string& name, const std::string& text) {
    return TarBuilder().File(name, text).Build();
  }
};

TEST_F(ArtifactUploadTest, AFolderComesUnderItsOwnNameAndAFileAtTheRoot) {
  PutArtifact("LocalUpload/c1/mdir/a.txt", "A");
  PutArtifact("LocalUpload/c1/mdir/sub/b.txt", "B");
  PutArtifact("LocalUpload/c1/mdir2/c.txt", "C");
  PutArtifact("LocalUpload/c2/model.json", "{}");
  const auto folder = Registered("LocalUpload/c1/mdir");
  ASSERT_TRUE(folder) << folder.error().message();
  EXPECT_EQ(ModelFile(*folder, "mdir/a.txt"), "A");
  EXPECT_EQ(ModelFile(*folder, "mdir/sub/b.txt"), "B");
  EXPECT_FALSE(std::filesystem::exists(*models_.Files(*folder) / "mdir2"));
  const auto file = Registered("LocalUpload/c2/model.json");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(ModelFile(*file, "model.json"), "{}");
}

TEST_F(ArtifactUploadTest, TheSameFilesAreTheSameContent) {
  PutArtifact("LocalUpload/c1/mdir/a.txt", "A");
  PutArtifact("LocalUpload/c2/mdir/a.txt", "A");
  EXPECT_EQ(Registered("LocalUpload/c1/mdir")->sha256, Registered("LocalUpload/c2/mdir")->sha256);
}

// Versions are known by these bytes: another sum here makes a new version of every unchanged model.
TEST_F(ArtifactUploadTest, TheSameFilesAreTheContentTheyAlwaysWere) {
  PutArtifact("LocalUpload/c1/mdir/b.txt", "bee");
  PutArtifact("LocalUpload/c1/mdir/empty.txt", "");
  PutArtifact("LocalUpload/c1/mdir/block.bin", std::string(512, 'x'));
  PutArtifact("LocalUpload/c1/mdir/a/deep.bin", std::string(300'000, 'y'));
  PutArtifact("LocalUpload/c1/mdir/" + std::string(90, 'd') + "/" + std::string(60, 'f'), "long");
  PutArtifact("LocalUpload/c1/mdir/" + std::string(200, 'n') + "/" + std::string(180, 'f'),
              "longer");
  const std::string name = std::string(70, 'p') + "/" + std::string(70, 'q');
  PutArtifact("LocalUpload/s/a.tar",
              TarBuilder().Pax(TarBuilder::Record("path", name)).File("q", "q").Build());
  PutArtifact("LocalUpload/s/env.yml", "dependencies:\n");
  const auto source =
      SourceArchive(blobs_, *content_,
                    {{"a.tar", *ArtifactName("s/g/w", "LocalUpload/s/a.tar"), true},
                     {"conda/env.yml", *ArtifactName("s/g/w", "LocalUpload/s/env.yml"), false}});
  const auto model =
      ModelArchive(blobs_, *content_, *ArtifactName("s/g/w", "LocalUpload/c1/mdir"), false);
  ASSERT_TRUE(source && model);
  EXPECT_EQ(Sha256Hex(Content(*model->file)),
            "35a75219a9b8926e577e60e07bff5c92e80e8613da61ba983fe265b47079e838");
  EXPECT_EQ(Sha256Hex(Content(*source->file)),
            "b94c0a088ca73505764db2cc6b490e3fcd04c8ce3cb89166a51b7dccd1687390");
}

TEST_F(ArtifactUploadTest, LongNamesAndEmptyFilesCome) {
  const std::string name = std::string(90, 'x') + "/" + std::string(150, 'y');
  PutArtifact("LocalUpload/c1/" + name, "");
  const auto model = Registered("LocalUpload/c1/" + std::string(90, 'x'));
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_TRUE(std::filesystem::exists(*models_.Files(*model) / name));
}

TEST_F(ArtifactUploadTest, AnArchiveToBeUnpackedIsTheModelItself) {
  PutArtifact("LocalUpload/c1/m.tar", Tar("src/weights", "W"));
  const auto model = Registered("LocalUpload/c1/m.tar", true);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(ModelFile(*model, "src/weights"), "W");
  // The blob is still there: the registry took a copy.
  EXPECT_TRUE(blobs_.Get(*ArtifactName("s/g/w", "LocalUpload/c1/m.tar")));
}

TEST_F(ArtifactUploadTest, NothingPutUpIsNotFound) {
  EXPECT_EQ(Registered("LocalUpload/none/x").error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(ArtifactName("s/g/w", "LocalUpload/../x"));
}

TEST_F(ArtifactUploadTest, ASourceIsMadeOfAllItsParts) {
  PutArtifact("LocalUpload/s/a.tar.gz", Tar("src/score.py", "def init(): pass"));
  PutArtifact("LocalUpload/s/one.py", "pass");
  const auto archive =
      SourceArchive(blobs_, *content_,
                    {{"a.tar.gz", *ArtifactName("s/g/w", "LocalUpload/s/a.tar.gz"), true},
                     {"one.py", *ArtifactName("s/g/w", "LocalUpload/s/one.py"), false}});
  ASSERT_TRUE(archive) << archive.error().message();
  const auto source = sources_.Register("s/g/w", *archive);
  ASSERT_TRUE(source) << source.error().message();
  const auto files = sources_.Verified("s/g/w", *source, {})->files;
  EXPECT_EQ(Content(files / "src/score.py"), "def init(): pass");
  EXPECT_EQ(Content(files / "one.py"), "pass");
}

TEST_F(ArtifactUploadTest, AHostileArchiveIsRefusedByName) {
  PutArtifact("LocalUpload/s/a.tar.gz", Tar("../escape", "x"));
  const auto archive = SourceArchive(
      blobs_, *content_, {{"a.tar.gz", *ArtifactName("s/g/w", "LocalUpload/s/a.tar.gz"), true}});
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(archive.error().message().find("a.tar.gz"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
