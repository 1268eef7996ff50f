#include "server/yaml/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <vector>

namespace mlprof::server {
namespace {

constexpr std::size_t kLargest = 256 << 10;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostValues = 20'000;

// Builds the value as the parser reads, and stops it at the first thing that is not taken. (The
// library's own exceptions carry the place; the same class is thrown here.)
class JsonBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) Refuse(mark, "a second document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Take(mark, anchor, "", nullptr);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { Refuse(mark, "an alias"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool is_key = !open_.empty() && open_.back().value.is_object() && !open_.back().has_key;
    if (!is_key) return Take(mark, anchor, tag, value);
    Check(mark, anchor, tag);
    if (open_.back().value.contains(value)) Refuse(mark, "a key that is there twice");
    open_.back().key = value;
    open_.back().has_key = true;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, anchor, tag, Json::array());
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, anchor, tag, Json::object());
  }
  void OnMapEnd() override { Close(); }

  Json Done() { return std::move(document_); }

 private:
  struct Level {
    Json value;
    std::string key;
    bool has_key = false;
  };

  [[noreturn]] static void Refuse(const YAML::Mark& mark, const std::string& what) {
    throw YAML::ParserException(mark, what + " is not taken here");
  }

  void Check(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
    if (anchor != 0) Refuse(mark, "an anchor");
    // "?" and "!" are how the library marks plain and quoted scalars without a tag.
    if (!tag.empty() && tag != "?" && tag != "!") Refuse(mark, "a tag");
    if (++values_ > kMostValues) Refuse(mark, "so large a document");
  }

  void Take(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag, Json value) {
    Check(mark, anchor, tag);
    if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key) {
      Refuse(mark, "a key that is no text");
    }
    Add(std::move(value));
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag, Json value) {
    Check(mark, anchor, tag);
    if (open_.size() >= kDeepest) Refuse(mark, "so deep a document");
    if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key) {
      Refuse(mark, "a key that is no text");
    }
    open_.push_back({std::move(value), "", false});
  }

  void Close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    Add(std::move(value));
  }

  void Add(Json value) {
    if (open_.empty()) {
      document_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.push_back(std::move(value));
    } else {
      open_.back().value[open_.back().key] = std::move(value);
      open_.back().has_key = false;
    }
  }

  std::vector<Level> open_;
  Json document_;
  std::size_t values_ = 0;
  int documents_ = 0;
};

}  // namespace

Result<Json> ParseYaml(const std::string& text) {
  if (text.size() > kLargest) {
    return Fail(ErrorCode::kTooLarge, "the YAML text is larger than 256 KiB");
  }
  std::istringstream stream(text);
  JsonBuilder builder;
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    return Fail(
        InvalidArgument("not YAML at line " + std::to_string(e.mark.line + 1) + ": " + e.msg));
  } catch (const std::exception& e) {
    return Fail(InvalidArgument(std::string("not YAML: ") + e.what()));
  }
  return builder.Done();
}

}  // namespace mlprof::server
