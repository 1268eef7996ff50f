#include "server/runtime/docker/kept_images.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "server/runtime/docker/base_image.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/environment/environment_recipe.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::seconds kRemoveLimit{60};  // of the files of a large image
constexpr std::size_t kHashLength = 16;
constexpr std::size_t kInstanceLength = 12;

std::string SharedName(const std::string& hash) {
  return std::string(environment::kRepository) + ":" + hash;
}

std::string OwnTag(const DockerContext& docker, const std::string& hash) {
  return hash + "-" + docker.options.instance_id.substr(0, kInstanceLength);
}

std::string OwnName(const DockerContext& docker, const std::string& hash) {
  return std::string(environment::kRepository) + ":" + OwnTag(docker, hash);
}

// "" where the image has no name of this installation's.
std::string HashOf(const DockerContext& docker, const ListedImage& image) {
  const std::size_t begin = std::string_view(environment::kRepository).size() + 1;
  for (const std::string& name : image.names) {
    if (name.size() < begin + kHashLength) continue;
    const std::string hash = name.substr(begin, kHashLength);
    if (name == OwnName(docker, hash)) return hash;
  }
  return "";
}

// What was installed; of images from before they said so the whole size, with what they share.
Bytes SizeOf(const ListedImage& image) {
  const auto label = image.labels.find(environment::kSizeLabel);
  if (label == image.labels.end()) return image.size;
  const std::string& text = label->second;
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? Bytes(bytes) : image.size;
}

Error CannotTell(const std::string& why) {
  return Conflict("what a waiting profile needs cannot be told: " + why);
}

// What waiting requests would be prepared as. Each base image is asked for once, however many wait.
class NeededEnvironments {
 public:
  NeededEnvironments(DockerContext& docker, const Patience& patience)
      : docker_(docker), patience_(patience) {}

  // If a base image is not on this machine, its id is unknown, and with it which environment will
  // be needed: an error. mlprof's own base is made on this machine, so while it is missing no
  // environment can be based on it.
  Status Add(const PrepareRequest& request) {
    const auto* script = std::get_if<EntryScriptConfig>(&request.config.service);
    if (script == nullptr) return {};
    const auto recipe = environment::RecipeOf(*script, request.source.get());
    if (!recipe) return Fail(CannotTell(recipe.error().message()));
    const std::string own = std::string(kOwnBaseRepository) + ":" + kOwnBaseTag;
    for (const std::string& base : {script->base_image, docker_.options.base_image, own}) {
      if (base.empty()) continue;
      MLPROF_LET(id, IdOf(base));
      if (!id.empty()) hashes_.insert(environment::RecipeHash(*recipe, id));
      if (id.empty() && base != own) {
        return Fail(CannotTell("its base image " + base + " is not on this machine"));
      }
    }
    return {};
  }
  bool Contains(const std::string& hash) const { return hashes_.contains(hash); }

 private:
  // "" where it is not here.
  Result<std::string> IdOf(const std::string& base) {
    if (const auto known = ids_.find(base); known != ids_.end()) return known->second;
    const auto image = docker_.engine.InspectImage(base, patience_.AtMost(kCallLimit));
    if (!image && image.error().code() != ErrorCode::kNotFound) return Fail(image.error());
    return ids_[base] = image ? image->id : "";
  }

  DockerContext& docker_;
  const Patience patience_;
  std::map<std::string, std::string> ids_;
  std::set<std::string> hashes_;
};

// Whether another installation has a name for it as well.
bool IsShared(const DockerContext& docker, const ListedImage& image, const std::string& hash) {
  return std::any_of(image.names.begin(), image.names.end(), [&](const std::string& name) {
    return name != OwnName(docker, hash) && name != SharedName(hash);
  });
}

Result<ListedImage> FindImage(DockerContext& docker, const std::string& hash,
                              const Patience& patience) {
  MLPROF_LET(images,
             docker.engine.ListImages(environment::kRepository, patience.AtMost(kCallLimit)));
  for (ListedImage& image : images) {
    if (HashOf(docker, image) == hash) return std::move(image);
  }
  return Fail(NotFound("there is no image " + SharedName(hash) + " any more"));
}

// This installation's own name is removed last: if the engine refuses, the image is still known as
// ours and is tried again.
Status RemoveNames(DockerContext& docker, const std::string& hash, const Patience& patience) {
  const auto image = FindImage(docker, hash, patience);
  if (!image) return image.error().code() == ErrorCode::kNotFound ? Status() : Fail(image.error());
  DockerEngine& engine = docker.engine;
  if (IsShared(docker, *image, hash)) {
    return engine.RemoveImage(OwnName(docker, hash), patience.AtMost(kCallLimit));
  }
  const bool has_shared =
      std::find(image->names.begin(), image->names.end(), SharedName(hash)) != image->names.end();
  if (has_shared) {
    MLPROF_TRY(engine.RemoveImage(SharedName(hash), patience.AtMost(kCallLimit)));
  }
  const Status removed = engine.RemoveImage(OwnName(docker, hash), patience.AtMost(kRemoveLimit));
  if (!removed && has_shared) {
    // Gives the shared name back, even if the time was up: the image is still to be found by it.
    (void)engine.TagImage(OwnName(docker, hash), environment::kRepository, hash,
                          Patience(Deadline::After(kKillLimit)));
  }
  return removed;
}

}  // namespace

Status KeepImage(DockerContext& docker, const std::string& hash, const Patience& patience) {
  const Status kept = docker.engine.TagImage(SharedName(hash), environment::kRepository,
                                             OwnTag(docker, hash), patience.AtMost(kCallLimit));
  if (kept || kept.error().code() != ErrorCode::kNotFound) return kept;
  // An interrupted removal may have left it only its own name: the shared one is given back.
  return docker.engine.TagImage(OwnName(docker, hash), environment::kRepository, hash,
                                patience.AtMost(kCallLimit));
}

Result<std::vector<KeptImage>> ListKeptImages(DockerContext& docker,
                                              const std::vector<PrepareRequest>& waiting,
                                              const Patience& patience) {
  NeededEnvironments needed(docker, patience);
  for (const PrepareRequest& request : waiting) MLPROF_TRY(needed.Add(request));
  MLPROF_LET(images,
             docker.engine.ListImages(environment::kRepository, patience.AtMost(kCallLimit)));
  std::vector<KeptImage> kept;
  for (const ListedImage& image : images) {
    const std::string hash = HashOf(docker, image);
    if (hash.empty()) continue;
    kept.push_back({SharedName(hash), SizeOf(image),
                    docker.uses.LastUse(hash).value_or(image.created), needed.Contains(hash)});
  }
  return kept;
}

Status RemoveKeptImage(DockerContext& docker, const KeptImage& image, const Patience& patience) {
  const std::string hash = image.id.substr(image.id.find(':') + 1);
  const auto removal = docker.uses.BeginRemoval(hash, image.last_used);
  if (!removal) return Fail(Conflict(image.id + " was used again meanwhile"));
  MLPROF_TRY(RemoveNames(docker, hash, patience));
  docker.uses.Forget(hash);
  return {};
}

}  // namespace mlprof::server::docker
