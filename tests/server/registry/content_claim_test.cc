// What comes in, goes and is looked after at the same time, on a disk that is slow to keep it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "common/hash/sha256.h"
#include "server/registry/content_references.h"
#include "server/registry/uncommitted_content.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/fakes/failing_sync.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/damaged_file.h"

namespace mlprof::server {
namespace {

class ContentClaimTest : public RegistryTest {
 protected:
  static std::string Tar(const std::string& weights) {
    return TarBuilder().File("model.bin", weights).Build();
  }
  Result<Model> Register(const std::string& name, const std::string& weights) {
    NewModel model;
    model.workspace = "default";
    model.name = name;
    return models_.Register(model, Upload(Tar(weights)), {});
  }
  /// On a thread of its own.
  std::future<Result<Model>> Registering(const std::string& name, const std::string& weights) {
    return std::async(std::launch::async, [=, this] { return Register(name, weights); });
  }
  std::future<Result<std::string>> RegisteringSource(const std::string& workspace,
                                                     const std::string& weights) {
    return std::async(std::launch::async,
                      [=, this] { return sources_.Register(workspace, Upload(Tar(weights))); });
  }
  /// Until the thread waits for something.
  static void AwaitAsleep(pid_t thread) {
    const std::string file = "/proc/self/task/" + std::to_string(thread) + "/stat";
    while (Content(file).find(") S ") == std::string::npos) std::this_thread::yield();
  }
  Status Reconcile() { return ReconcileContent(*database_, *content_, Now()); }
  bool CanBeServed(const Result<Model>& model) {
    return model && models_.Verified(*model, {}) &&
           Content(content_->TreePath(model->sha256) / "model.bin") == "weights";
  }
};

TEST_F(ContentClaimTest, AnUploadThatWaitsForTheDiskHoldsNobodyUp) {
  const Model old = Register("old", "old weights").value();
  HeldSync slow("/content/sha256");
  auto upload = Registering("a", "weights");
  ASSERT_TRUE(slow.Await());
  auto others = std::async(std::launch::async, [&] {
    return datasets_.RegisterRows({"default", "rows", "", ""}, {"a", "b"}, {}).has_value() &&
           Register("b", "other weights").has_value() &&
           models_.Delete("default", old.id).has_value() && Reconcile().has_value();
  });
  EXPECT_EQ(others.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  slow.Release();
  EXPECT_TRUE(others.get());
  EXPECT_TRUE(CanBeServed(upload.get()));
}

TEST_F(ContentClaimTest, ADeletionThatWaitsForTheDiskHoldsNobodyUp) {
  const Model old = Register("old", "old weights").value();
  HeldSync slow("/trees");
  auto deletion = std::async(std::launch::async, [&] { return models_.Delete("default", old.id); });
  ASSERT_TRUE(slow.Await());
  auto upload = Registering("a", "weights");
  EXPECT_EQ(upload.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  slow.Release();
  EXPECT_TRUE(deletion.get());
  EXPECT_TRUE(CanBeServed(upload.get()));
  EXPECT_FALSE(content_->HasFile(old.sha256));
}

TEST_F(ContentClaimTest, ASourceThatWaitsForTheDiskToGoHoldsNobodyUp) {
  const std::string old = sources_.Register("default", Upload(Tar("old"))).value();
  HeldSync slow("/trees");
  auto deletion = std::async(std::launch::async, [&] { return sources_.Delete("default", old); });
  ASSERT_TRUE(slow.Await());
  auto upload = RegisteringSource("elsewhere", "new");
  EXPECT_EQ(upload.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  slow.Release();
  EXPECT_TRUE(deletion.get());
  EXPECT_TRUE(sources_.Verified("elsewhere", upload.get().value(), {}));
}

TEST_F(ContentClaimTest, ASourceThatIsTakenBackHoldsNobodyUp) {
  std::optional<TentativeSource> tentative =
      sources_.RegisterTentatively("default", Upload(Tar("old"))).value();
  const std::string old = tentative->id();
  HeldSync slow("/trees");
  auto taken_back = std::async(std::launch::async, [&] { tentative.reset(); });
  ASSERT_TRUE(slow.Await());
  auto upload = RegisteringSource("default", "new");
  EXPECT_EQ(upload.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  slow.Release();
  taken_back.get();
  EXPECT_TRUE(sources_.Verified("default", upload.get().value(), {}));
  EXPECT_FALSE(sources_.Exists("default", old).value());
}

TEST_F(ContentClaimTest, ASourceThatComesBackWhileItGoesIsWhole) {
  const std::string id = sources_.Register("default", Upload(Tar("pass"))).value();
  HeldSync slow("/trees");
  auto deletion = std::async(std::launch::async, [&] { return sources_.Delete("default", id); });
  ASSERT_TRUE(slow.Await());
  auto upload = RegisteringSource("default", "pass");
  EXPECT_EQ(upload.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  slow.Release();
  EXPECT_EQ(upload.get().value(), id);
  EXPECT_TRUE(deletion.get());
  EXPECT_TRUE(sources_.Verified("default", id, {}));
}

// Somebody else's, which is there before the claim is.
TEST_F(ContentClaimTest, NoTreeIsTakenBackThatCameBeforeTheClaim) {
  const Model other = Register("other", "weights").value();
  const auto tree = content_->TreePath(other.sha256);
  const auto aside = content_->NewIncomingPath();
  std::filesystem::rename(tree, aside);
  std::promise<pid_t> thread;
  auto lock = content_->Lock();
  auto failing = std::async(std::launch::async, [&] {
    thread.set_value(gettid());
    const UncommittedContent uncommitted(*database_, *content_, other.sha256);
  });
  AwaitAsleep(thread.get_future().get());  // in the constructor, at the lock
  std::filesystem::rename(aside, tree);
  lock.unlock();
  failing.get();
  EXPECT_TRUE(std::filesystem::exists(tree));
}

// The upload is in place, and its row is not there yet.
TEST_F(ContentClaimTest, NobodyDeletesWhatIsComingIn) {
  const Model first = Register("a", "weights").value();
  HeldSync slow("/trees");
  auto upload = Registering("b", "weights");
  ASSERT_TRUE(slow.Await());
  EXPECT_TRUE(models_.Delete("default", first.id));
  EXPECT_TRUE(content_->HasFile(first.sha256));
  slow.Release();
  EXPECT_TRUE(CanBeServed(upload.get()));
}

TEST_F(ContentClaimTest, NobodyTakesForAnOrphanWhatIsComingIn) {
  HeldSync slow("/trees");
  auto upload = Registering("a", "weights");
  ASSERT_TRUE(slow.Await());
  EXPECT_TRUE(Reconcile());
  EXPECT_TRUE(content_->HasFile(Sha256Hex(Tar("weights"))));
  slow.Release();
  EXPECT_TRUE(CanBeServed(upload.get()));
}

TEST_F(ContentClaimTest, WhatIsRegisteredWhileOrphansAreLookedForIsNone) {
  // Something that the look takes back first, and there waits for the disk.
  const Model lost = Register("lost", "lost weights").value();
  const auto batch = content_->quarantine().NewBatch(Now());
  ASSERT_TRUE(content_->MoveTo(batch, lost.sha256));
  const std::string orphan = Sha256Hex(Tar("weights"));
  const auto file = content_->NewIncomingPath();
  WriteBytes(file, Tar("weights"));
  ASSERT_TRUE(content_->PutFile(file, ContentClaim(*content_, orphan)));

  HeldSync slow("/content/sha256/" + lost.sha256.substr(0, 2));
  auto look = std::async(std::launch::async, [&] { return Reconcile(); });
  ASSERT_TRUE(slow.Await());
  const auto model = Register("a", "weights");
  slow.Release();
  EXPECT_TRUE(look.get());
  EXPECT_TRUE(content_->HasFile(orphan));
  EXPECT_TRUE(CanBeServed(model));
}

TEST_F(ContentClaimTest, GoesWhenTheLastOneDoes) {
  const std::string digest(64, 'a');
  {
    const ContentClaim one(*content_, digest);
    { const ContentClaim two(*content_, digest); }
    const auto lock = content_->Lock();
    EXPECT_TRUE(content_->IsClaimed(digest));
  }
  const auto lock = content_->Lock();
  EXPECT_FALSE(content_->IsClaimed(digest));
}

}  // namespace
}  // namespace mlprof::server
