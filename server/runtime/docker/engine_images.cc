#include "common/text/percent.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/docker/engine_error.h"

namespace mlprof::server::docker {
namespace {

// Splits a streamed response into its JSON lines, wherever the pieces are cut.
class StreamLines {
 public:
  explicit StreamLines(const std::function<bool(std::string_view)>& on_line) : on_line_(on_line) {}

  bool Feed(std::string_view piece) {
    rest_ += piece;
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (!Take(std::string_view(rest_).substr(begin, end - begin))) return false;
    }
    rest_.erase(0, begin);
    constexpr std::size_t kLongestLine = 1 << 20;
    if (rest_.size() > kLongestLine) rest_.clear();
    return true;
  }
  void End() { Take(rest_); }
  const std::string& error() const { return error_; }

 private:
  bool Take(std::string_view line) {
    const StreamLine decoded = DecodeStreamLine(line);
    if (!decoded.error.empty()) error_ = decoded.error;
    return decoded.text.empty() || on_line_(decoded.text);
  }

  const std::function<bool(std::string_view)>& on_line_;
  std::string rest_;
  std::string error_;
};

}  // namespace

Result<ImageInfo> DockerEngine::InspectImage(const std::string& reference,
                                             const Patience& patience) {
  const Result<Json> json = SendForJson({"inspectImage", "inspect image " + reference, "GET",
                                         "/images/" + PercentEncode(reference) + "/json", ""},
                                        patience);
  if (!json) return Fail(json.error());
  return DecodeImage(*json);
}

Result<std::vector<ListedImage>> DockerEngine::ListImages(const std::string& repository,
                                                          const Patience& patience) {
  const Json filters = {{"reference", Json::array({repository})}};
  const Result<Json> json =
      SendForJson({"listImages", "list images of " + repository, "GET",
                   "/images/json?filters=" + PercentEncode(DumpJson(filters)), ""},
                  patience);
  if (!json) return Fail(json.error());
  return DecodeImageList(*json);
}

Status DockerEngine::TagImage(const std::string& reference, const std::string& repository,
                              const std::string& tag, const Patience& patience) {
  const std::string target = "/images/" + PercentEncode(reference) +
                             "/tag?repo=" + PercentEncode(repository) +
                             "&tag=" + PercentEncode(tag);
  const Result<HttpReply> reply =
      Send({"tag", "name image " + repository + ":" + tag, "POST", target, ""}, patience);
  if (!reply) return Fail(reply.error());
  return {};
}

Status DockerEngine::RemoveImage(const std::string& reference, const Patience& patience) {
  const Result<HttpReply> reply =
      Send({"removeImage", "remove image " + reference, "DELETE",
            "/images/" + PercentEncode(reference) + "?noprune=true", ""},
           patience);
  if (reply || reply.error().code() == ErrorCode::kNotFound) return {};
  return Fail(reply.error());
}

Status DockerEngine::Commit(const std::string& container, const std::string& repository,
                            const std::string& tag, const Json& config, const Patience& patience) {
  const std::string target = "/commit?container=" + PercentEncode(container) +
                             "&repo=" + PercentEncode(repository) + "&tag=" + PercentEncode(tag);
  const Result<HttpReply> reply =
      Send({"commit", "make image " + repository + ":" + tag, "POST", target, DumpJson(config)},
           patience);
  if (!reply) return Fail(reply.error());
  return {};
}

Status DockerEngine::ImportImage(const std::filesystem::path& tar, const std::string& repository,
                                 const std::string& tag, const Patience& patience) {
  const std::string asked = "import image " + repository + ":" + tag;
  const std::string target =
      "/images/create?fromSrc=-&repo=" + PercentEncode(repository) + "&tag=" + PercentEncode(tag);
  const Result<HttpReply> reply = Send({"import", asked, "POST", target, ""}, patience, {}, tar);
  if (!reply) return Fail(reply.error());
  const std::function<bool(std::string_view)> ignore = [](std::string_view) { return true; };
  StreamLines lines(ignore);
  lines.Feed(reply->body);
  lines.End();
  if (!lines.error().empty()) return Fail(EngineStreamFailed(asked, lines.error()));
  return {};
}

Status DockerEngine::PullImage(const std::string& repository, const std::string& tag,
                               const std::function<bool(std::string_view)>& on_line,
                               const Patience& patience) {
  const std::string asked = "pull image " + repository + (tag.empty() ? "" : ":" + tag);
  const std::string target =
      "/images/create?fromImage=" + PercentEncode(repository) + "&tag=" + PercentEncode(tag);
  StreamLines lines(on_line);
  const Result<HttpReply> reply = Send({"pull", asked, "POST", target, ""}, patience,
                                       [&](std::string_view chunk) { return lines.Feed(chunk); });
  if (!reply) return Fail(reply.error());
  lines.End();
  // A failed pull is a 200 whose last line says so.
  if (!lines.error().empty()) return Fail(EngineStreamFailed(asked, lines.error()));
  return {};
}

}  // namespace mlprof::server::docker
