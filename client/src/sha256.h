// SHA-256 of what is fed to it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace mlprof {

class Sha256 {
 public:
  Sha256();
  void Feed(std::string_view bytes);
  /// 64 lower-case hex digits; nothing may be fed afterwards.
  std::string HexDigest();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace mlprof
