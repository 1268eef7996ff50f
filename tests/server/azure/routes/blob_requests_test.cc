#include "server/azure/routes/blob_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/hash/sha256.h"

namespace mlprof::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

HttpRequest WithHeader(const std::string& name, const std::string& value) {
  HttpRequest request;
  request.headers.Add(name, value);
  return request;
}

std::string Range(const std::string& header, std::uint64_t size = 100) {
  const auto range = ReadRange(WithHeader("Range", header), size);
  if (!range) return "behind";
  if (!*range) return "whole";
  return std::to_string((*range)->offset) + "+" + std::to_string((*range)->length);
}

TEST(BlobRange, IsCutToTheBlob) {
  EXPECT_EQ(Range("bytes=0-0"), "0+1");
  EXPECT_EQ(Range("bytes=10-19"), "10+10");
  EXPECT_EQ(Range("bytes=90-1000"), "90+10");
  EXPECT_EQ(Range("bytes=90-"), "90+10");
  EXPECT_EQ(Range("bytes=-5"), "95+5");
  EXPECT_EQ(Range("bytes=-500"), "0+100");
  EXPECT_EQ(Range("bytes=100-"), "behind");
  EXPECT_EQ(Range("bytes=0-", 0), "behind");
  EXPECT_EQ(Range("bytes=18446744073709551615-"), "behind");
}

TEST(BlobRange, WhatIsNoRangeMeansTheWhole) {
  for (const char* odd : {"bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1-2,4-5",
                          "items=1-2", "bytes=99999999999999999999-"}) {
    EXPECT_EQ(Range(odd), "whole") << odd;
  }
  EXPECT_FALSE(*ReadRange(HttpRequest{}, 10));
  EXPECT_EQ((*ReadRange(WithHeader("x-ms-range", "bytes=1-2"), 10))->offset, 1u);
}

TEST(BlockList, GivesTheIdsInOrder) {
  EXPECT_THAT(
      *ReadBlockList("<?xml version='1.0' encoding='utf-8'?>\n<BlockList><Latest>Yg==</Latest>"
                     "\n <Uncommitted>YQ==</Uncommitted></BlockList>\n"),
      ElementsAre("Yg==", "YQ=="));
  EXPECT_TRUE(ReadBlockList("<BlockList></BlockList>")->empty());
}

TEST(BlockList, RefusesEverythingElse) {
  for (const char* bad :
       {"", "<BlockList>", "<BlockList><Latest>a</BlockList>",
        "<BlockList><Latest></Latest></BlockList>",
        "<BlockList><Committed>a</Committed></BlockList>",
        "<BlockList><Latest>&x;</Latest></BlockList>", "<!DOCTYPE x><BlockList></BlockList>",
        "<BlockList></BlockList>x", "<?xml"}) {
    EXPECT_FALSE(ReadBlockList(bad)) << bad;
  }
  EXPECT_FALSE(
      ReadBlockList("<BlockList><Latest>" + std::string(200, 'a') + "</Latest></BlockList>"));
}

TEST(BodyDigest, IsHeldAgainstTheBody) {
  const SpooledBody body{nullptr, Bytes(1), Sha256Hex("x")};
  EXPECT_TRUE(CheckBodyDigest(HttpRequest{}, body));
  EXPECT_TRUE(CheckBodyDigest(
      WithHeader("Content-sha256", "LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE="), body));
  EXPECT_FALSE(CheckBodyDigest(WithHeader("Content-sha256", "AAAA"), body));
  EXPECT_FALSE(CheckBodyDigest(WithHeader("Content-sha256", "no base64"), body));
}

TEST(BlobListXml, EscapesNames) {
  const std::string xml =
      BlobListXml("https://h:1", "c", "a&",
                  {{"a&<b>", std::string(64, 'e'), Bytes(110), Timestamp()}}, "a&<b>");
  EXPECT_THAT(xml, HasSubstr("<Prefix>a&amp;</Prefix>"));
  EXPECT_THAT(xml, HasSubstr("<Name>a&amp;&lt;b&gt;</Name>"));
  EXPECT_THAT(xml, HasSubstr("<Content-Length>110</Content-Length>"));
  EXPECT_THAT(xml, HasSubstr("<Creation-Time>Thu, 01 Jan 1970 00:00:00 GMT</Creation-Time>"));
  EXPECT_THAT(xml, HasSubstr("<NextMarker>a&amp;&lt;b&gt;</NextMarker>"));
  EXPECT_THAT(BlobListXml("https://h:1", "c", "", {}, ""),
              HasSubstr("<Blobs></Blobs><NextMarker />"));
}

}  // namespace
}  // namespace mlprof::server
