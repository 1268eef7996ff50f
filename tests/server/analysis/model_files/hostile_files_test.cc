// Model files come from anybody: cut anywhere, changed anywhere, and made to be slow or large.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "tests/server/analysis/model_files/golden_file.h"

namespace mlprof::server {
namespace {

const std::vector<std::string>& GoldenNames() {
  static const std::vector<std::string> names = {"model.safetensors",
                                                 "model.gguf",
                                                 "model.onnx",
                                                 "external.onnx",
                                                 "saved_model/variables/variables.index",
                                                 "checkpoint/ckpt.index",
                                                 "state.pt",
                                                 "checkpoint.pt",
                                                 "script.pt",
                                                 "legacy.pt",
                                                 "array.npy",
                                                 "arrays.npz",
                                                 "packed.npz",
                                                 "forest.pkl",
                                                 "forest.joblib"};
  return names;
}

void ExpectSane(const std::string& content, const std::string& name) {
  const auto file = WeightsOf(content, name);
  if (!file) return;
  EXPECT_GE(Parameters(file->by_type), 0);
  EXPECT_GE(TotalBytes(file->by_type), Bytes());
  EXPECT_LE(file->by_type.size(), 100U);
  EXPECT_LE(file->problem.size(), 1000U);
  EXPECT_TRUE(file->problem.empty() || file->by_type.empty());
}

std::string Uint64(std::uint64_t number) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}

TEST(HostileFilesTest, CutFilesGiveAProblemAndNoNumbers) {
  for (const std::string& name : GoldenNames()) {
    const std::string whole = ModelFile(name);
    ASSERT_FALSE(whole.empty()) << name;
    for (std::size_t length = 1; length < whole.size(); length += 1 + whole.size() / 300) {
      ExpectSane(whole.substr(0, length), name);
    }
  }
}

TEST(HostileFilesTest, AFileThatLacksItsEndSaysSo) {
  for (const std::string name :
       {"model.safetensors", "model.gguf", "state.pt", "array.npy", "arrays.npz", "forest.pkl",
        "saved_model/variables/variables.index"}) {
    const std::string whole = ModelFile(name);
    const auto file = WeightsOf(whole.substr(0, whole.size() - 40), name);
    ASSERT_TRUE(file) << name;
    EXPECT_NE(file->problem, "") << name;
    EXPECT_TRUE(file->by_type.empty()) << name;
  }
}

TEST(HostileFilesTest, ChangedBytesAreReadWithinBounds) {
  std::mt19937 random(20261125);
  for (const std::string& name : GoldenNames()) {
    const std::string whole = ModelFile(name);
    for (int i = 0; i < 1500; ++i) {
      std::string changed = whole;
      for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
        const std::size_t at = random() % changed.size();
        switch (random() % 4) {
          case 0: changed[at] = static_cast<char>(random()); break;
          case 1: changed[at] = '\xff'; break;
          case 2: changed.insert(at, Uint64(random() % 2 == 0 ? ~0ULL : random())); break;
          default: changed.erase(at, 1 + random() % 16); break;
        }
        if (changed.empty()) break;
      }
      ExpectSane(changed, name);
    }
  }
}

TEST(HostileFilesTest, SizesBeyondAnyMemoryAreRefused) {
  const auto safetensors = [](const std::string& header) { return Uint64(header.size()) + header; };
  for (const char* header :
       {R"({"a":{"dtype":"F32","shape":[9223372036854775807,9],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
        R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", R"({"a":1})", "[]", "x"}) {
    const auto file = WeightsOf(safetensors(header), "m.safetensors");
    ASSERT_TRUE(file);
    EXPECT_NE(file->problem, "") << header;
  }
  EXPECT_NE(WeightsOf(Uint64(~0ULL), "m.safetensors")->problem, "");
  const std::string gguf = "GGUF" + std::string("\x03\0\0\0", 4);
  EXPECT_NE(WeightsOf(gguf + Uint64(~0ULL) + Uint64(0), "m.gguf")->problem, "");
  EXPECT_NE(WeightsOf(gguf + Uint64(0) + Uint64(~0ULL), "m.gguf")->problem, "");
}

TEST(HostileFilesTest, APickleThatWouldRunAProgramIsOnlyRead) {
  // What os.system("touch") looks like.
  const std::string pickle = std::string("\x80\x02", 2) + "cposix\nsystem\n" +
                             std::string("X\x05\0\0\0touch", 10) + "\x85R.";
  EXPECT_EQ(WeightsOf(pickle, "m.pkl")->object, "posix.system");
}

TEST(HostileFilesTest, TuplesOfTuplesDoNotGrow) {
  std::string pickle = std::string("\x80\x02", 2) + ")";
  for (int i = 0; i < 200; ++i) pickle += "2\x86";
  const auto began = std::chrono::steady_clock::now();
  ExpectSane(pickle + ".", "m.pkl");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
}

TEST(HostileFilesTest, NamesThatAreJoinedAgainAndAgainDoNotGrow) {
  std::string joined = std::string("\x80\x04", 2) + "cos\nx\n";
  for (int i = 0; i < 60; ++i) joined += "2\x93";
  ExpectSane(joined + ".", "m.pkl");
  std::string texts = std::string("\x80\x04", 2) + "S" + std::string(4000, 'x') + "\n";
  for (int i = 0; i < 60; ++i) texts += "2\x93";
  ExpectSane(texts + ".", "m.pkl");
}

TEST(HostileFilesTest, TuplesThatAreCopiedAgainAndAgainEnd) {
  std::string pickle = std::string("\x80\x02", 2) + "(";
  for (int i = 0; i < 8; ++i)
    pickle += "c" + std::string(4000, 'm') + "\n" + std::string(4000, 'n') + "\n";
  pickle += "tq";
  pickle += '\0';
  for (int i = 0; i < 1'000'000; ++i) pickle += std::string("h\0Q0", 4);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_NE(WeightsOf(pickle + ".", "m.pkl")->problem, "");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST(HostileFilesTest, GraphsInGraphsEnd) {
  // A graph, in it a node with an attribute that is a graph, and so on.
  std::string message;
  const auto wrap = [](char key, const std::string& inner) {
    std::string length;
    for (std::size_t left = inner.size();; left >>= 7U) {
      length += static_cast<char>((left & 0x7fU) | (left > 0x7fU ? 0x80U : 0U));
      if (left <= 0x7fU) break;
    }
    return key + length + inner;
  };
  for (int i = 0; i < 2000; ++i) message = wrap('\x0a', wrap('\x2a', wrap('\x32', message)));
  const auto file = WeightsOf(wrap('\x3a', message), "m.onnx");
  ASSERT_TRUE(file);
  EXPECT_NE(file->problem, "");
}

TEST(HostileFilesTest, LargeFilesOfNothingButSmallPartsTakeBoundedTime) {
  std::string onnx(8U << 20U, '\0');
  for (std::size_t i = 0; i + 1 < onnx.size(); i += 2) onnx[i] = '\x0a';  // empty nodes
  std::string pickle = std::string("\x80\x02", 2) + std::string(8U << 20U, 'N');
  std::string memo = std::string("\x80\x02", 2);
  for (int i = 0; i < 600'000; ++i)
    memo +=
        "K\x01\x94"
        "0";
  const auto began = std::chrono::steady_clock::now();
  ExpectSane(
      "\x3a"
      "\x80\x80\x80\x04" +
          onnx,
      "m.onnx");
  ExpectSane(pickle, "m.pkl");
  ExpectSane(memo + ".", "m.pkl");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

}  // namespace
}  // namespace mlprof::server
