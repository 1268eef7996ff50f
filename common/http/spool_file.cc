#include "common/http/spool_file.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace mlprof {

class SpoolFile::Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_, EVP_sha256(), nullptr); }
  ~Digest() { EVP_MD_CTX_free(context_); }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void Update(std::string_view bytes) { EVP_DigestUpdate(context_, bytes.data(), bytes.size()); }

  std::string Hex() {
    constexpr char kHex[] = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_, raw.data(), &length);
    std::string hex;
    for (unsigned int i = 0; i < length; ++i) hex += {kHex[raw[i] >> 4], kHex[raw[i] & 0xF]};
    return hex;
  }

 private:
  EVP_MD_CTX* context_;
};

Result<std::unique_ptr<SpoolFile>> SpoolFile::Create(const std::filesystem::path& directory) {
  std::string name = (directory / "upload-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0)
    return Fail(FromErrno(errno, "cannot spool an upload in " + directory.string()));
  return std::unique_ptr<SpoolFile>(new SpoolFile(descriptor, name));
}

SpoolFile::SpoolFile(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor),
      path_(new std::filesystem::path(std::move(path)),
            [](const std::filesystem::path* file) {
              ::unlink(file->c_str());  // ENOENT: its keeper moved it away
              delete file;
            }),
      digest_(std::make_unique<Digest>()) {}

SpoolFile::~SpoolFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status SpoolFile::Append(std::string_view bytes) {
  digest_->Update(bytes);
  size_ += Bytes(static_cast<std::int64_t>(bytes.size()));
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Fail(FromErrno(errno, "cannot write an upload"));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<SpooledBody> SpoolFile::Finish() {
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) return Fail(FromErrno(errno, "cannot write an upload"));
  return SpooledBody{std::move(path_), size_, digest_->Hex()};
}

}  // namespace mlprof
