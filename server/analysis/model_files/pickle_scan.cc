#include "server/analysis/model_files/pickle_scan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace mlprof::server {
namespace {

constexpr std::size_t kMostStack = 1'000'000;
constexpr std::size_t kMostMemo = 500'000;
constexpr std::size_t kMostGlobals = 100;
constexpr std::size_t kMostPersistentIds = 1'000'000;
constexpr std::size_t kMostItems = 8;
constexpr std::uint64_t kMostLine = 4096;
constexpr std::uint64_t kLongestKept = 200;  // of a text
// Of texts and of tuples that were put on the stack, copies too: what is copied again and again
// would take all memory.
constexpr std::size_t kMostCopied = 256UL * 1024 * 1024;

class PickleMachine {
 public:
  explicit PickleMachine(ByteCursor& cursor) : cursor_(cursor) {}

  PickleFacts Run() {
    while (cursor_.ok() && stack_.size() < kMostStack && copied_ < kMostCopied) {
      const char instruction = static_cast<char>(cursor_.U8());
      if (!cursor_.ok()) break;
      if (instruction == '.') {
        facts_.whole = true;
        break;
      }
      if (!Literal(instruction) && !Structure(instruction) && !Memory(instruction)) break;
    }
    return std::move(facts_);
  }

 private:
  using Kind = PickleValue::Kind;

  void Push(PickleValue value) {
    copied_ += value.text.size() + value.items.size() * sizeof(PickleValue);
    for (const PickleValue& item : value.items) copied_ += item.text.size();
    stack_.push_back(std::move(value));
  }
  void PushOther() { Push({}); }
  PickleValue Pop() {
    if (stack_.empty()) return {};
    PickleValue value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  void PopAndPushOther(int values) {
    for (int i = 0; i < values; ++i) Pop();
    PushOther();
  }

  void PushText(std::uint64_t length) {
    PickleValue value{Kind::kText};
    const std::uint64_t kept = std::min(length, kLongestKept);
    value.text = cursor_.Text(kept, kLongestKept);
    cursor_.Skip(length - kept);
    Push(std::move(value));
  }
  void PushNumber(std::int64_t number) { Push({Kind::kNumber, {}, number}); }
  void SkipAndPushOther(std::uint64_t length) {
    cursor_.Skip(length);
    PushOther();
  }
  void PushLine(Kind kind) { Push({kind, Cut(cursor_.Until('\n', kMostLine))}); }

  static std::string Cut(std::string text) {
    if (text.size() > kLongestKept) text.resize(kLongestKept);
    return text;
  }

  // Only texts are joined, which are short: what was joined is none, and cannot grow again.
  void PushGlobalOf(const PickleValue& module, const PickleValue& name) {
    const bool texts = module.kind == Kind::kText && name.kind == Kind::kText;
    if (texts) return PushGlobal(module.text, name.text);
    PushOther();
  }
  void PushGlobal(std::string module, const std::string& name) {
    PickleValue value{Kind::kGlobal, Cut(std::move(module)) + "." + Cut(name)};
    auto& globals = facts_.globals;
    if (globals.size() < kMostGlobals && std::ranges::find(globals, value.text) == globals.end()) {
      globals.push_back(value.text);
    }
    Push(std::move(value));
  }

  // Above the last mark, which goes too.
  std::vector<PickleValue> PopToMark() {
    std::vector<PickleValue> values;
    while (!stack_.empty() && stack_.back().kind != Kind::kMark) values.push_back(Pop());
    Pop();
    std::ranges::reverse(values);
    return values;
  }

  // A tuple in a tuple is not kept: one that is put into the next twice would double each time.
  void PushTuple(std::vector<PickleValue> items) {
    if (items.size() > kMostItems) items.resize(kMostItems);
    for (PickleValue& item : items) {
      if (item.kind == Kind::kTuple) item = {};
    }
    Push({Kind::kTuple, {}, 0, std::move(items)});
  }
  void PushTupleOf(int values) {
    std::vector<PickleValue> items;
    for (int i = 0; i < values; ++i) items.push_back(Pop());
    std::ranges::reverse(items);
    PushTuple(std::move(items));
  }

  // What pushes one value that stands behind the instruction.
  bool Literal(char instruction) {
    switch (static_cast<unsigned char>(instruction)) {
      case 'N':
      case ']':
      case '}':
      case 0x88:
      case 0x89:
      case 0x8f:
      case 0x97: PushOther(); return true;
      case ')': PushTuple({}); return true;
      case 'J': PushNumber(static_cast<std::int32_t>(cursor_.U32())); return true;
      case 'K': PushNumber(cursor_.U8()); return true;
      case 'M': PushNumber(cursor_.U16()); return true;
      case 'G': SkipAndPushOther(8); return true;
      case 'I':
      case 'L': PushIntegerLine(); return true;
      case 'F':
        cursor_.Until('\n', kMostLine);
        PushOther();
        return true;
      case 'S':
      case 'V': PushLine(Kind::kText); return true;
      case 'T':
      case 'X': PushText(cursor_.U32()); return true;
      case 'U':
      case 0x8c: PushText(cursor_.U8()); return true;
      case 0x8d: PushText(cursor_.U64()); return true;
      case 'B': SkipAndPushOther(cursor_.U32()); return true;
      case 'C': SkipAndPushOther(cursor_.U8()); return true;
      case 0x8e:
      case 0x96: SkipAndPushOther(cursor_.U64()); return true;
      case 0x8a: PushLong(cursor_.U8()); return true;
      case 0x8b: SkipAndPushOther(cursor_.U32()); return true;
      default: return false;
    }
  }

  void PushIntegerLine() {
    const std::string line = cursor_.Until('\n', kMostLine);
    std::int64_t number = 0;
    for (const char c : line) {
      if (c < '0' || c > '9' || number > (std::int64_t{1} << 58)) break;
      number = number * 10 + (c - '0');
    }
    PushNumber(number);
  }

  void PushLong(int length) {
    if (length > 8) return SkipAndPushOther(static_cast<std::uint64_t>(length));
    std::uint64_t number = 0;
    for (int i = 0; i < length; ++i) number |= static_cast<std::uint64_t>(cursor_.U8()) << (8 * i);
    PushNumber(static_cast<std::int64_t>(number));
  }

  // What takes values from the stack and pushes what it makes of them.
  bool Structure(char instruction) {
    switch (static_cast<unsigned char>(instruction)) {
      case '(': Push({Kind::kMark}); return true;
      case '0': Pop(); return true;
      case '1': PopToMark(); return true;
      case '2':
        if (!stack_.empty()) Push(PickleValue(stack_.back()));
        return true;
      case 't': PushTuple(PopToMark()); return true;
      case 0x85: PushTupleOf(1); return true;
      case 0x86: PushTupleOf(2); return true;
      case 0x87: PushTupleOf(3); return true;
      case 'l':
      case 'd':
      case 'o':
      case 0x91:
        PopToMark();
        PushOther();
        return true;
      case 'a':
      case 'b': Pop(); return true;
      case 's':
        Pop();
        Pop();
        return true;
      case 'e':
      case 'u':
      case 0x90: PopToMark(); return true;
      case 'R':
      case 0x81: PopAndPushOther(2); return true;
      case 0x92: PopAndPushOther(3); return true;
      case 'c':
      case 'i': {
        std::string module = cursor_.Until('\n', kMostLine);
        const std::string name = cursor_.Until('\n', kMostLine);
        if (instruction == 'i') PopToMark();
        PushGlobal(std::move(module), name);
        return true;
      }
      case 0x93: {
        const PickleValue name = Pop();
        PushGlobalOf(Pop(), name);
        return true;
      }
      case 'P':
        cursor_.Until('\n', kMostLine);
        PushOther();
        return true;
      case 'Q': {
        PickleValue id = Pop();
        if (facts_.persistent_ids.size() < kMostPersistentIds) {
          facts_.persistent_ids.push_back(std::move(id));
        }
        PushOther();
        return true;
      }
      default: return false;
    }
  }

  // The memo, and what only tells how to read on.
  bool Memory(char instruction) {
    switch (static_cast<unsigned char>(instruction)) {
      case 'q': Put(cursor_.U8()); return true;
      case 'r': Put(cursor_.U32()); return true;
      case 'p': PutLine(); return true;
      case 0x94: Put(memoized_); return true;
      case 'h': Get(cursor_.U8()); return true;
      case 'j': Get(cursor_.U32()); return true;
      case 'g': {
        PushIntegerLine();
        Get(static_cast<std::uint64_t>(Pop().number));
        return true;
      }
      case 0x80: cursor_.U8(); return true;
      case 0x95: cursor_.U64(); return true;
      case 0x82: SkipAndPushOther(1); return true;
      case 0x83: SkipAndPushOther(2); return true;
      case 0x84: SkipAndPushOther(4); return true;
      case 0x98: return true;
      default: return false;
    }
  }

  void PutLine() {
    PushIntegerLine();
    Put(static_cast<std::uint64_t>(Pop().number));
  }
  void Put(std::uint64_t place) {
    ++memoized_;
    if (stack_.empty() || stack_.back().kind == Kind::kOther || memo_.size() >= kMostMemo) return;
    memo_[place] = stack_.back();
  }
  void Get(std::uint64_t place) {
    const auto found = memo_.find(place);
    Push(found == memo_.end() ? PickleValue{} : found->second);
  }

  ByteCursor& cursor_;
  PickleFacts facts_;
  std::vector<PickleValue> stack_;
  std::map<std::uint64_t, PickleValue> memo_;
  std::uint64_t memoized_ = 0;
  std::size_t copied_ = 0;
};

}  // namespace

PickleFacts ScanPickle(ByteCursor& cursor) { return PickleMachine(cursor).Run(); }

}  // namespace mlprof::server
