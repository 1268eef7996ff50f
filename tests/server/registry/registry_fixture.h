// Registries on a data directory of their own, and uploads for them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "server/registry/artifact_store.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/model_registry.h"
#include "server/registry/source_registry.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {

class RegistryTest : public testing::Test {
 protected:
  SpooledBody Upload(const std::string& bytes) {
    const auto file = content_->NewIncomingPath();
    std::ofstream(file, std::ios::binary) << bytes;
    return {std::shared_ptr<const std::filesystem::path>(new std::filesystem::path(file),
                                                         [](const std::filesystem::path* path) {
                                                           std::filesystem::remove(*path);
                                                           delete path;
                                                         }),
            Bytes(static_cast<std::int64_t>(bytes.size())), ""};
  }

  /// Files left in a folder below the data directory, at any depth.
  std::size_t FilesUnder(const std::string& folder) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / folder)) {
      files += entry.is_regular_file() ? 1 : 0;
    }
    return files;
  }

  static std::string Content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = Database::Open(folder_ / "mlprof.db").value();
  std::unique_ptr<ContentStore> content_ = ContentStore::Open(folder_.path()).value();
  ModelRegistry models_{*database_, *content_};
  DatasetRegistry datasets_{*database_, *content_};
  SourceRegistry sources_{*database_, *content_};
  ArtifactStore artifacts_{*database_, *content_};
  ProfileRepository profiles_{*database_};
};

}  // namespace mlprof::server
