#include "server/tls/own_certificate.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <fstream>
#include <sstream>

#include "server/tls/identity.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

constexpr hours kDay{24};

std::string Content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class OwnCertificateTest : public ::testing::Test {
 protected:
  CertificateFiles Ensure(const std::vector<std::string>& hosts, Timestamp now = Now()) {
    auto files = EnsureOwnCertificate(folder_ / "tls", NamesOf(hosts), now);
    EXPECT_TRUE(files) << (files ? "" : files.error().message());
    return files.value_or(CertificateFiles{});
  }
  Identity Authority() const {
    return ReadIdentity(Content(folder_ / "tls/ca.pem"), Content(folder_ / "tls/ca.key")).value();
  }
  Identity Server() const {
    return ReadIdentity(Content(folder_ / "tls/server.pem"), Content(folder_ / "tls/server.key"))
        .value();
  }
  /// "" where a strict client takes the server's certificate for `host` at `when`.
  std::string WhyRefused(const std::string& host, Timestamp when = Now()) const {
    const std::unique_ptr<X509_STORE, OpenSslFree<&X509_STORE_free>> store(X509_STORE_new());
    const std::unique_ptr<X509_STORE_CTX, OpenSslFree<&X509_STORE_CTX_free>> context(
        X509_STORE_CTX_new());
    const Identity authority = Authority();
    const Identity server = Server();
    X509_STORE_add_cert(store.get(), authority.certificate.get());
    X509_STORE_CTX_init(context.get(), store.get(), server.certificate.get(), nullptr);
    X509_VERIFY_PARAM* how = X509_STORE_CTX_get0_param(context.get());
    X509_VERIFY_PARAM_set_flags(how, X509_V_FLAG_X509_STRICT);
    X509_VERIFY_PARAM_set_purpose(how, X509_PURPOSE_SSL_SERVER);
    X509_VERIFY_PARAM_set_time(
        how, std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count());
    if (X509_VERIFY_PARAM_set1_ip_asc(how, host.c_str()) != 1) {
      X509_VERIFY_PARAM_set1_host(how, host.data(), host.size());
    }
    if (X509_verify_cert(context.get()) == 1) return "";
    return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
  }

  TemporaryDirectory folder_;
};

TEST_F(OwnCertificateTest, PassesStrictVerificationForItsNamesAlone) {
  Ensure({"localhost", "127.0.0.1", "::1", "box.example"});
  for (const char* host : {"localhost", "127.0.0.1", "::1", "box.example"}) {
    EXPECT_EQ(WhyRefused(host), "") << host;
  }
  for (const char* host : {"box", "x.box.example", "127.0.0.2", "mlprof-server"}) {
    EXPECT_NE(WhyRefused(host), "") << host;
  }
}

TEST_F(OwnCertificateTest, LastsAsLongAsBrowsersTake) {
  const Timestamp now = Now();
  Ensure({"localhost"}, now);
  EXPECT_EQ(WhyRefused("localhost", now + 396 * kDay), "");
  EXPECT_NE(WhyRefused("localhost", now + 397 * kDay), "");
  EXPECT_EQ(WhyRefused("localhost", now - hours(1) + std::chrono::minutes(1)), "");
}

TEST_F(OwnCertificateTest, ComesFromACaThatCanSignServersOnly) {
  Ensure({"localhost"});
  const Identity authority = Authority();
  X509* certificate = authority.certificate.get();
  EXPECT_EQ(X509_check_ca(certificate), 1);
  EXPECT_EQ(X509_get_pathlen(certificate), 0);
  EXPECT_EQ(X509_get_key_usage(certificate), std::uint32_t{KU_KEY_CERT_SIGN | KU_CRL_SIGN});
  EXPECT_EQ(X509_get_extended_key_usage(certificate), std::uint32_t{XKU_SSL_SERVER});
  EXPECT_TRUE(LastsFor(authority, Now(), 3649 * kDay));
  EXPECT_FALSE(LastsFor(authority, Now(), 3653 * kDay));
}

TEST_F(OwnCertificateTest, IsNoCaItself) {
  Ensure({"localhost"});
  const Identity server = Server();
  X509* certificate = server.certificate.get();
  EXPECT_EQ(X509_check_ca(certificate), 0);
  EXPECT_EQ(X509_get_key_usage(certificate), std::uint32_t{KU_DIGITAL_SIGNATURE});
  EXPECT_EQ(X509_get_extended_key_usage(certificate), std::uint32_t{XKU_SSL_SERVER});
  EXPECT_NE(X509_get0_authority_key_id(certificate), nullptr);
  EXPECT_NE(X509_get0_subject_key_id(certificate), nullptr);
}

TEST_F(OwnCertificateTest, KeepsKeysToTheirOwner) {
  const CertificateFiles files = Ensure({"localhost"});
  const auto owner = fs::perms::owner_read | fs::perms::owner_write;
  EXPECT_EQ(fs::status(files.key).permissions(), owner);
  EXPECT_EQ(fs::status(folder_ / "tls/ca.key").permissions(), owner);
  EXPECT_EQ(fs::status(folder_ / "tls").permissions(), fs::perms::owner_all);
  EXPECT_EQ(Content(files.certificate).find("PRIVATE"), std::string::npos);
  EXPECT_EQ(Content(files.authority).find("PRIVATE"), std::string::npos);
}

TEST_F(OwnCertificateTest, StaysWhileItIsGood) {
  const Timestamp now = Now();
  const CertificateFiles files = Ensure({"localhost", "127.0.0.1", "box"}, now);
  const std::string before = Content(files.certificate);
  Ensure({"localhost", "127.0.0.1"}, now + 366 * kDay);
  EXPECT_EQ(Content(files.certificate), before);
}

TEST_F(OwnCertificateTest, IsRenewedAMonthBeforeItEndsByTheSameCa) {
  const Timestamp now = Now();
  const CertificateFiles files = Ensure({"localhost"}, now);
  const std::string before = Content(files.certificate);
  const std::string authority = Content(files.authority);
  Ensure({"localhost"}, now + 368 * kDay);
  EXPECT_NE(Content(files.certificate), before);
  EXPECT_EQ(Content(files.authority), authority);
  EXPECT_EQ(WhyRefused("localhost", now + 700 * kDay), "");
}

TEST_F(OwnCertificateTest, IsMadeAnewForAnotherName) {
  const CertificateFiles files = Ensure({"localhost"});
  const std::string authority = Content(files.authority);
  Ensure({"localhost", "192.0.2.1"});
  EXPECT_EQ(WhyRefused("192.0.2.1"), "");
  EXPECT_EQ(Content(files.authority), authority);
}

TEST_F(OwnCertificateTest, IsMadeAnewWhereItsFilesAreNoPair) {
  const CertificateFiles files = Ensure({"localhost"});
  for (const fs::path& file : {files.key, files.certificate}) {
    std::ofstream(file) << "nothing";
    Ensure({"localhost"});
    EXPECT_EQ(WhyRefused("localhost"), "") << file;
  }
  fs::remove(files.key);
  Ensure({"localhost"});
  EXPECT_EQ(WhyRefused("localhost"), "");
}

TEST_F(OwnCertificateTest, NeverOutlivesItsCaWhichIsReplacedInTime) {
  const Timestamp now = Now();
  const CertificateFiles files = Ensure({"localhost"}, now);
  const std::string authority = Content(files.authority);
  const Timestamp late = now + 3600 * kDay;
  Ensure({"localhost"}, late);
  EXPECT_EQ(Content(files.authority), authority);
  EXPECT_EQ(WhyRefused("localhost", late), "");
  EXPECT_FALSE(LastsFor(Server(), late, 53 * kDay));
  Ensure({"localhost"}, now + 3630 * kDay);
  EXPECT_NE(Content(files.authority), authority);
  EXPECT_EQ(WhyRefused("localhost", now + 3630 * kDay), "");
}

TEST_F(OwnCertificateTest, RefusesACaWithoutItsKeyInsteadOfMakingAnother) {
  const CertificateFiles files = Ensure({"localhost"});
  const std::string authority = Content(files.authority);
  fs::remove(folder_ / "tls/ca.key");
  const auto refused = EnsureOwnCertificate(folder_ / "tls", NamesOf({"localhost"}), Now());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("ca.key"), std::string::npos);
  EXPECT_EQ(Content(files.authority), authority);
}

TEST_F(OwnCertificateTest, HasAnotherNameAndSerialEachTime) {
  const Identity first = MakeAuthority(Now()).value();
  const Identity second = MakeAuthority(Now()).value();
  EXPECT_NE(X509_NAME_cmp(X509_get_subject_name(first.certificate.get()),
                          X509_get_subject_name(second.certificate.get())),
            0);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(first.certificate.get()),
                             X509_get0_serialNumber(second.certificate.get())),
            0);
}

}  // namespace
}  // namespace mlprof::server
