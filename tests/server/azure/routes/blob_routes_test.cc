#include <gmock/gmock.h>

#include "tests/server/azure/azure_bench.h"

namespace mlprof::server {
namespace {

using testing::HasSubstr;

class AzureBlobs : public AzureBench {
 protected:
  HttpResponse Blob(const std::string& method, const std::string& path,
                    const std::string& body = "", const Headers& headers = {},
                    const std::string& more = "") {
    return AskFrom(kElsewhere, method, "/azureml-blobstore/" + path + query_ + more, body, headers);
  }
  const std::string query_ = DatastoreQuery();
};

TEST_F(AzureBlobs, TheDatastoreGivesBothKindsOfClientsTheSameKey) {
  const Json store =
      JsonOf(Ask("GET", Workspace("/datastore/v1.0") + "/datastores/workspaceblobstore"));
  EXPECT_EQ(store["name"], "workspaceblobstore");
  EXPECT_EQ(store["dataStoreType"], "AzureBlob");
  const Json& section = store["azureStorageSection"];
  EXPECT_EQ(section["accountName"], "mlprof");
  EXPECT_EQ(section["containerName"], "azureml-blobstore");
  EXPECT_EQ(section["endpoint"], "x@127.0.0.1:8443");
  EXPECT_EQ(section["credentialType"], "Sas");
  EXPECT_EQ(section["sasToken"].get<std::string>(), "?" + section["credential"].get<std::string>());
  EXPECT_EQ(Ask("GET", Workspace("/datastore/v1.0") + "/datastores/other").status, 404);
}

TEST_F(AzureBlobs, WhatWasPutIsReadByWhoeverHasTheAddress) {
  EXPECT_EQ(Blob("PUT", "a%20b/x.txt", "0123456789").status, 201);
  const HttpResponse whole = Blob("GET", "a%20b/x.txt");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(TextOf(whole), "0123456789");
  const HttpResponse part = Blob("GET", "a%20b/x.txt", "", {{"range", "bytes=2-4"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.headers.Get("Content-Range"), "bytes 2-4/10");
  EXPECT_EQ(TextOf(part), "234");
  const HttpResponse behind = Blob("GET", "a%20b/x.txt", "", {{"range", "bytes=10-"}});
  EXPECT_EQ(behind.status, 416);
  EXPECT_EQ(behind.headers.Get("Content-Range"), "bytes */10");
}

TEST_F(AzureBlobs, ASignedAddressSaysWhoAsks) {
  HttpRequest request;
  request.method = "PUT";
  request.remote_address = kElsewhere;
  request.headers.Add("Host", "127.0.0.1:8443");
  request.path = "/azureml-blobstore/x";
  EXPECT_FALSE(access_.Knows(request));
  request.query = *ParseQuery(std::string_view(query_).substr(1));
  EXPECT_TRUE(access_.Knows(request));
  request.path = "/msi/token";
  EXPECT_FALSE(access_.Knows(request));
}

TEST_F(AzureBlobs, AnAddressEndsWithTheTokenItWasGivenFor) {
  ASSERT_EQ(Blob("PUT", "x", "1").status, 201);
  const Json store = JsonOf(AskFrom(kElsewhere, "GET", Workspace("/datastore/v1.0") + "/default",
                                    "", {{"Authorization", "Bearer " + reader_}}));
  const std::string blob =
      "/azureml-blobstore/x" + store["azureStorageSection"]["sasToken"].get<std::string>();
  EXPECT_EQ(AskFrom(kElsewhere, "GET", blob, "", {}).status, 200);
  ASSERT_TRUE(tokens_->Revoke("reader"));
  EXPECT_EQ(AskFrom(kElsewhere, "GET", blob, "", {}).status, 401);
}

TEST_F(AzureBlobs, OneIsRemovedByWhoeverMayWrite) {
  ASSERT_EQ(Blob("PUT", "x", "1").status, 201);
  ASSERT_EQ(Blob("PUT", "x/y", "2").status, 201);
  EXPECT_EQ(Blob("DELETE", "x").status, 202);
  EXPECT_EQ(Blob("GET", "x").status, 404);
  EXPECT_EQ(Blob("DELETE", "x").status, 404);
  EXPECT_EQ(TextOf(Blob("GET", "x/y")), "2");
}

TEST_F(AzureBlobs, AMissingOneSaysSoInAHeader) {
  const HttpResponse missing = Blob("GET", "x");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.headers.Get("x-ms-error-code"), "BlobNotFound");
}

TEST_F(AzureBlobs, OneThatIsThereIsKeptWhereThatIsAsked) {
  EXPECT_EQ(Blob("PUT", "x", "1").status, 201);
  const HttpResponse again = Blob("PUT", "x", "2", {{"If-None-Match", "*"}});
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.headers.Get("x-ms-error-code"), "BlobAlreadyExists");
  EXPECT_EQ(TextOf(Blob("GET", "x")), "1");
}

TEST_F(AzureBlobs, ALargeOneComesInBlocks) {
  EXPECT_EQ(Blob("PUT", "big", "one", {}, "&comp=block&blockid=YQ%3D%3D").status, 201);
  EXPECT_EQ(Blob("PUT", "big", "two", {}, "&comp=block&blockid=Yg%3D%3D").status, 201);
  EXPECT_EQ(Blob("GET", "big").status, 404);
  const std::string list = "<BlockList><Latest>Yg==</Latest><Latest>YQ==</Latest></BlockList>";
  EXPECT_EQ(Blob("PUT", "big", list, {}, "&comp=blocklist").status, 201);
  EXPECT_EQ(TextOf(Blob("GET", "big")), "twoone");
  EXPECT_EQ(Blob("PUT", "big", "<x/>", {}, "&comp=blocklist").status, 400);
}

TEST_F(AzureBlobs, ADigestThatDoesNotFitIsRefused) {
  EXPECT_EQ(Blob("PUT", "x", "1", {{"Content-sha256", "AAAA"}}).status, 400);
  EXPECT_EQ(Blob("PUT", "x", "1", {{"x-ms-blob-type", "PageBlob"}}).status, 400);
  EXPECT_EQ(Blob("PUT", "x", "1", {}, "&comp=metadata").status, 400);
}

TEST_F(AzureBlobs, AContainerIsListed) {
  for (const char* path : {"g/a.txt", "g/b.txt", "h"}) Blob("PUT", path, path);
  const HttpResponse listed = AskFrom(
      kElsewhere, "GET",
      "/azureml-blobstore" + query_ + "&restype=container&comp=list&prefix=g%2F&maxresults=1", "",
      {});
  EXPECT_EQ(listed.status, 200);
  EXPECT_EQ(listed.headers.Get("Content-Type"), "application/xml");
  EXPECT_THAT(TextOf(listed), HasSubstr("<Name>g/a.txt</Name>"));
  EXPECT_THAT(TextOf(listed), HasSubstr("<NextMarker>g/a.txt</NextMarker>"));
  const HttpResponse rest =
      AskFrom(kElsewhere, "GET",
              "/azureml-blobstore" + query_ + "&comp=list&prefix=g%2F&marker=g%2Fa.txt", "", {});
  EXPECT_THAT(TextOf(rest), HasSubstr("<Name>g/b.txt</Name>"));
  EXPECT_THAT(TextOf(rest), Not(HasSubstr("<Name>h</Name>")));
}

TEST_F(AzureBlobs, WithoutASignatureNobodyGetsIn) {
  Blob("PUT", "x", "1");
  // From elsewhere the request does not even reach the route: no body would be taken.
  EXPECT_EQ(AskFrom(kElsewhere, "GET", "/azureml-blobstore/x", "", {}).status, 401);
  EXPECT_EQ(AskFrom(kElsewhere, "PUT", "/azureml-blobstore/x", "2", {}).status, 401);
  EXPECT_EQ(Ask("GET", "/azureml-blobstore/x").status, 403);
  EXPECT_EQ(Ask("GET", "/azureml/x" + query_).status, 403);
  const std::string changed = query_ + "x";
  EXPECT_EQ(AskFrom(kElsewhere, "GET", "/azureml-blobstore/x" + changed, "", {}).status, 401);
}

TEST_F(AzureBlobs, AReadersAddressDoesNotWrite) {
  const Json store = JsonOf(AskFrom(kElsewhere, "GET", Workspace("/datastore/v1.0") + "/default",
                                    "", {{"Authorization", "Bearer " + reader_}}));
  const std::string query = store["azureStorageSection"]["sasToken"].get<std::string>();
  Blob("PUT", "x", "1");
  EXPECT_EQ(AskFrom(kElsewhere, "GET", "/azureml-blobstore/x" + query, "", {}).status, 200);
  EXPECT_EQ(AskFrom(kElsewhere, "PUT", "/azureml-blobstore/x" + query, "2", {}).status, 401);
}

TEST_F(AzureBlobs, WorkspacesAreKeptApart) {
  Blob("PUT", "x", "1");
  const std::string other = DatastoreQuery("v");
  EXPECT_EQ(AskFrom(kElsewhere, "GET", "/azureml-blobstore/x" + other, "", {}).status, 404);
}

TEST_F(AzureBlobs, HostilePathsAreRefused) {
  for (const char* path : {"%2e%2e/x", "a/%2e%2e/x", "a%2fb", "a%5cb", "a%0ab", "a;b", "../x",
                           "a//b", "%ff", "a%00"}) {
    const int status = Blob("PUT", path, "1").status;
    EXPECT_TRUE(status == 400 || status == 404) << path << " " << status;
  }
  EXPECT_EQ(Blob("PUT", std::string(1100, 'a'), "1").status, 400);
  EXPECT_EQ(FilesUnder("content"), 0u);
}

TEST_F(AzureBlobs, NobodyPutsWhatTheRegistriesServe) {
  EXPECT_EQ(Blob("PUT", "mlprof-datasets/x.txt", "1").status, 409);
  EXPECT_EQ(Blob("GET", "mlprof-datasets/x.txt").status, 404);
}

}  // namespace
}  // namespace mlprof::server
