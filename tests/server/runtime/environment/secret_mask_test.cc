#include "server/runtime/environment/secret_mask.h"

#include <gtest/gtest.h>

#include "common/text/base64.h"

namespace mlprof::server::environment {
namespace {

SecretMask MaskOf(std::string_view url) {
  SecretMask mask;
  mask.AddUrl(url);
  return mask;
}

// However `text` is cut in two, and byte by byte.
void ExpectMaskedHoweverItComes(const SecretMask& mask, const std::string& text,
                                const std::string& expected) {
  EXPECT_EQ(mask.Masked(text), expected);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    std::string masked;
    MaskedOutput output(mask, [&](std::string_view piece) { masked += piece; });
    output.Add(std::string_view(text).substr(0, cut));
    output.Add(std::string_view(text).substr(cut));
    output.Finish();
    EXPECT_EQ(masked, expected) << "cut at " << cut;
  }
  std::string masked;
  MaskedOutput output(mask, [&](std::string_view piece) { masked += piece; });
  for (const char c : text) output.Add(std::string(1, c));
  output.Finish();
  EXPECT_EQ(masked, expected);
}

TEST(SecretMask, HidesAPasswordHoweverItIsSpelled) {
  const SecretMask mask = MaskOf("https://user:p%40ss%2Fw0rd@index/simple");
  for (const std::string spelling :
       {"p@ss/w0rd", "p%40ss%2Fw0rd", "p%40ss%2fw0rd", "%70%40%73%73%2F%77%30%72%64", "p@ss%2Fw0rd",
        "user:p@ss/w0rd", "user:p%40ss%2Fw0rd"}) {
    ExpectMaskedHoweverItComes(mask, "<" + spelling + ">", "<***>");
  }
}

TEST(SecretMask, HidesTheBase64OfALogin) {
  const SecretMask mask = MaskOf("http://user:secret@127.0.0.1:3128");
  ExpectMaskedHoweverItComes(mask, "Basic " + EncodeBase64("user:secret") + "\n", "Basic ***=\n");
  ExpectMaskedHoweverItComes(MaskOf("http://u%40x:se%3Acret@h"), EncodeBase64("u@x:se:cret") + ".",
                             "***=.");
  ExpectMaskedHoweverItComes(MaskOf("http://u%40x:se%3Acret@h"),
                             EncodeBase64("u%40x:se%3Acret") + ".", "***.");
}

TEST(SecretMask, TakesANameWithoutAPasswordForAToken) {
  ExpectMaskedHoweverItComes(MaskOf("https://t0k3n@index/simple"), "t0k3n and token",
                             "*** and token");
}

TEST(SecretMask, HidesAShortPasswordBesideItsNameAlone) {
  ExpectMaskedHoweverItComes(MaskOf("http://me:abc@h"), "abc me:abc", "abc ***");
}

TEST(SecretMask, HidesTheQueryOfAUrl) {
  ExpectMaskedHoweverItComes(MaskOf("https://blobs/links?sig=abc%2B1#x"), "sig=abc%2B1 sig",
                             "*** sig");
}

TEST(SecretMask, HidesAPasswordThatBreaksItsUrl) {
  const SecretMask mask = MaskOf("http://user:pa/ss@127.0.0.1:3128");
  EXPECT_EQ(mask.Masked("Failed to parse: http://user:pa/ss@127.0.0.1:3128"),
            "Failed to parse: http://***@127.0.0.1:3128");
  EXPECT_EQ(MaskOf("user:secret@127.0.0.1:3128").Masked("secret"), "***");
}

TEST(SecretMask, HidesLoginsOfUrlsThatNobodyTold) {
  const SecretMask none;
  ExpectMaskedHoweverItComes(none, "proxyconnect http://daemon:hidden@10.0.0.1:3128: refused",
                             "proxyconnect http://***@10.0.0.1:3128: refused");
  ExpectMaskedHoweverItComes(none, "https://u:p@ss@h/x", "https://***@h/x");
  ExpectMaskedHoweverItComes(none, "see https://host/a@b, and mail x@y",
                             "see https://host/a@b, and mail x@y");
  ExpectMaskedHoweverItComes(none, "100% of a: b:/ c://", "100% of a: b:/ c://");
}

TEST(SecretMask, PrefersTheLongerOfTwoSecrets) {
  SecretMask mask;
  mask.AddLogin("a", "word");
  mask.AddLogin("b", "wordlong");
  ExpectMaskedHoweverItComes(mask, "wordlong word wordlo", "*** *** ***lo");
}

TEST(SecretMask, FindsLoginsInAptsFiles) {
  SecretMask mask;
  mask.AddUrlsIn("Acquire::http::Proxy \"http://apt:aptsecret@proxy:3128/\";\n");
  mask.AddNetrcIn("machine mirror.test login me password netrcsecret\n");
  EXPECT_EQ(mask.Masked("aptsecret netrcsecret"), "*** ***");
}

TEST(SecretMask, TakesOnlyPasswordsOfUrlsThatAreNotOfPackages) {
  SecretMask mask;
  mask.AddPasswordsIn(
      "ssh://root@host/x?mode=full https://me:abcde@h redis://:two@h a://b:long-secret@h");
  ExpectMaskedHoweverItComes(mask, "root host mode=full abcde :two",
                             "root host mode=full abcde :two");
  ExpectMaskedHoweverItComes(mask, "me:abcde long-secret b:long-secret", "*** *** ***");
  ExpectMaskedHoweverItComes(mask, EncodeBase64("me:abcde") + ".", "***=.");
}

TEST(SecretMask, HandsOnWhatCannotBecomeASecretAtOnce) {
  const SecretMask mask = MaskOf("http://user:secret@h");
  std::string seen;
  MaskedOutput output(mask, [&](std::string_view text) { seen += text; });
  output.Add("Collecting a\n");
  EXPECT_EQ(seen, "Collecting a\n");
  output.Add("secr");
  EXPECT_EQ(seen, "Collecting a\n");
  output.Add("ets\n");
  EXPECT_EQ(seen, "Collecting a\n***s\n");
}

TEST(SecretMask, KeepsNoMoreOfAnEndlessLineThanALogin) {
  const SecretMask mask;
  std::size_t seen = 0;
  MaskedOutput output(mask, [&](std::string_view text) { seen += text.size(); });
  output.Add("http://" + std::string(100'000, 'x'));
  EXPECT_GT(seen, 98'000u);
  output.Finish();
  EXPECT_EQ(seen, 100'007u);
}

TEST(SecretMask, KeepsTheKindOfAnError) {
  const Error masked =
      MaskOf("http://user:secret@h").Masked(Error(ErrorCode::kNotFound, "no secret here"));
  EXPECT_EQ(masked.code(), ErrorCode::kNotFound);
  EXPECT_EQ(masked.message(), "no *** here");
}

}  // namespace
}  // namespace mlprof::server::environment
