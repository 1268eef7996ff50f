// Makes tar archives, whole or wrong, byte by byte.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace mlprof {

struct TarEntrySpec {
  std::string name;
  char type = '0';
  std::string data;
  std::string link;
  std::string size_field;  // "": the size of `data`, in octal
  std::string magic = std::string(
      "ustar\0"
      "00",
      8);
  std::string prefix;
};

class TarBuilder {
 public:
  TarBuilder& Add(const TarEntrySpec& spec) {
    bytes_ += Header(spec) + Padded(spec.data);
    return *this;
  }
  TarBuilder& File(const std::string& name, const std::string& data = "x") {
    TarEntrySpec spec;
    spec.name = name;
    spec.data = data;
    return Add(spec);
  }
  TarBuilder& Folder(const std::string& name) { return Typed('5', name, ""); }
  TarBuilder& Typed(char type, const std::string& name, const std::string& data) {
    TarEntrySpec spec;
    spec.name = name;
    spec.type = type;
    spec.data = data;
    return Add(spec);
  }
  TarBuilder& LongName(const std::string& name) { return Typed('L', "././@LongLink", name + '\0'); }
  /// One pax record, its length worked out.
  static std::string Record(const std::string& key, const std::string& value) {
    const std::string rest = " " + key + "=" + value + "\n";
    std::size_t length = rest.size() + 1;
    while (std::to_string(length).size() + rest.size() != length) ++length;
    return std::to_string(length) + rest;
  }
  TarBuilder& Pax(const std::string& records) { return Typed('x', "PaxHeaders/x", records); }
  TarBuilder& Raw(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }

  std::string Open() const { return bytes_; }  // without its end
  std::string Build() const { return bytes_ + std::string(1024, '\0'); }

  static std::string Header(const TarEntrySpec& spec) {
    std::string block(512, '\0');
    Put(block, 0, spec.name.substr(0, 100));
    Put(block, 100, "0000644");
    Put(block, 124, spec.size_field.empty() ? Octal(spec.data.size(), 11) : spec.size_field);
    Put(block, 136, "00000000000");
    Put(block, 148, "        ");
    block[156] = spec.type;
    Put(block, 157, spec.link);
    Put(block, 257, spec.magic);
    Put(block, 345, spec.prefix);
    std::uint64_t sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    Put(block, 148, Octal(sum, 6) + '\0' + ' ');
    return block;
  }

 private:
  static void Put(std::string& block, std::size_t at, std::string_view text) {
    block.replace(at, text.size(), text);
  }
  static std::string Octal(std::uint64_t value, int digits) {
    char text[32];
    std::snprintf(text, sizeof(text), "%0*llo", digits, static_cast<unsigned long long>(value));
    return text;
  }
  static std::string Padded(std::string data) {
    data.resize((data.size() + 511) / 512 * 512, '\0');
    return data;
  }

  std::string bytes_;
};

}  // namespace mlprof
