// Raw requests and what the framing gate must answer: 200 stands for "let through".
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace mlprof {

struct RawRequest {
  std::string name;  // letters and digits only
  std::string bytes;
  int status = 400;
};

inline void PrintTo(const RawRequest& raw, std::ostream* out) { *out << raw.name; }

namespace raw_requests {

using namespace std::string_literals;

inline RawRequest WithLine(std::string name, const std::string& line, int status) {
  return {std::move(name), line + "\r\nHost: a\r\n\r\n", status};
}

inline RawRequest WithFields(std::string name, const std::string& fields, int status) {
  return {std::move(name), "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n", status};
}

inline RawRequest WithHost(std::string name, const std::string& fields, int status) {
  return {std::move(name), "GET / HTTP/1.1\r\n" + fields + "\r\n", status};
}

inline std::vector<RawRequest> RequestLines() {
  return {
      WithLine("PlainGet", "GET / HTTP/1.1", 200),
      WithLine("Http10", "GET / HTTP/1.0", 200),
      WithLine("UnknownMethodToken", "BREW / HTTP/1.1", 200),
      WithLine("LowerCaseMethod", "get / HTTP/1.1", 200),
      WithLine("EscapesAndQuery", "GET /a%3A1?x=%2F&y=[1]|{} HTTP/1.1", 200),
      WithLine("Http09", "GET /", 400),
      WithLine("Http12", "GET / HTTP/1.2", 505),
      WithLine("Http20", "GET / HTTP/2.0", 505),
      WithLine("Http20Preface", "PRI * HTTP/2.0", 505),
      WithLine("LowerCaseVersion", "GET / http/1.1", 400),
      WithLine("VersionWithTwoDigits", "GET / HTTP/1.10", 400),
      WithLine("VersionWithoutMinor", "GET / HTTP/1", 400),
      WithLine("VersionWithSpace", "GET / HTTP/1. 1", 400),
      WithLine("OtherProtocol", "GET / ICY/1.1", 400),
      WithLine("TwoSpacesAfterMethod", "GET  / HTTP/1.1", 400),
      WithLine("TwoSpacesAfterTarget", "GET /  HTTP/1.1", 400),
      WithLine("SpaceInTarget", "GET /a b HTTP/1.1", 400),
      WithLine("TabForSpace", "GET\t/\tHTTP/1.1", 400),
      WithLine("TabInTarget", "GET /a\tb HTTP/1.1", 400),
      WithLine("LeadingSpace", " GET / HTTP/1.1", 400),
      WithLine("TrailingSpace", "GET / HTTP/1.1 ", 400),
      WithLine("EmptyMethod", "/ HTTP/1.1", 400),
      WithLine("MethodWithColon", "GE:T / HTTP/1.1", 400),
      WithLine("MethodWithParenthesis", "GET( / HTTP/1.1", 400),
      WithLine("AbsoluteForm", "GET http://a/ HTTP/1.1", 400),
      WithLine("AuthorityForm", "CONNECT a:80 HTTP/1.1", 400),
      WithLine("AsteriskForm", "OPTIONS * HTTP/1.1", 400),
      WithLine("TargetWithoutSlash", "GET a HTTP/1.1", 400),
      WithLine("Fragment", "GET /a#b HTTP/1.1", 400),
      WithLine("NonAsciiTarget", "GET /\xC3\xA4 HTTP/1.1", 400),
      WithLine("ControlInTarget", "GET /\x01 HTTP/1.1", 400),
      WithLine("DeleteInTarget", "GET /\x7F HTTP/1.1", 400),
      WithLine("NulInTarget", "GET /\0 HTTP/1.1"s, 400),
      WithLine("BareCrInLine", "GET /\r HTTP/1.1", 400),
      {"BareLfLineEnds", "GET / HTTP/1.1\nHost: a\n\n", 400},
      {"BareLfAfterLine", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
      {"BareLfBeforeEnd", "GET / HTTP/1.1\r\nHost: a\r\n\n", 400},
      {"EmptyLine", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"TlsHello", "\x16\x03\x01\x02\0\x01\0\x01\xFC\x03\x03"s, 400},
  };
}

inline std::vector<RawRequest> HostFields() {
  return {
      {"NoFieldsOn10", "GET / HTTP/1.0\r\n\r\n", 200},
      {"TwoHostsOn10", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", 400},
      WithHost("NoHost", "X: y\r\n", 400),
      WithHost("TwoHosts", "Host: a\r\nHost: b\r\n", 400),
      WithHost("TwoEqualHosts", "Host: a\r\nhost: a\r\n", 400),
      WithHost("EmptyHost", "Host:\r\n", 400),
      WithHost("HostWithPort", "Host: localhost:8080\r\n", 200),
      WithHost("HostIpv6", "Host: [::1]:8080\r\n", 200),
      WithHost("HostWithoutPortDigits", "Host: a:\r\n", 400),
      WithHost("HostWithBadPort", "Host: a:8x\r\n", 400),
      WithHost("HostWithLongPort", "Host: a:123456\r\n", 400),
      WithHost("HostList", "Host: a, b\r\n", 400),
      WithHost("HostWithUser", "Host: a@b\r\n", 400),
      WithHost("HostWithPath", "Host: a/b\r\n", 400),
      WithHost("HostWithSpace", "Host: a b\r\n", 400),
      WithHost("HostWithUnclosedBracket", "Host: [::1\r\n", 400),
      WithHost("HostWithTextAfterBracket", "Host: [::1]a\r\n", 400),
      WithHost("HostNonAscii", "Host: \xC3\xA4\r\n", 400),
  };
}

inline std::vector<RawRequest> Fields() {
  return {
      WithFields("OrdinaryFields", "Accept: */*\r\nUser-Agent: curl/8\r\n", 200),
      WithFields("EmptyValue", "X:\r\n", 200),
      WithFields("TabInValue", "X: a\tb\r\n", 200),
      WithFields("HighBytesInValue", "X: \xC3\xA4\r\n", 200),
      WithFields("ObsFoldSpace", "X: a\r\n b\r\n", 400),
      WithFields("ObsFoldTab", "X: a\r\n\tb\r\n", 400),
      {"FoldedFirstField", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
      WithFields("SpaceBeforeColon", "X : a\r\n", 400),
      WithFields("TabBeforeColon", "X\t: a\r\n", 400),
      WithFields("NoColon", "X\r\n", 400),
      WithFields("EmptyName", ": a\r\n", 400),
      WithFields("NonTokenName", "X(y): a\r\n", 400),
      WithFields("NonAsciiName", "\xC3\xA4: a\r\n", 400),
      WithFields("NulInName", "X\0: a\r\n"s, 400),
      WithFields("NulInValue", "X: a\0b\r\n"s, 400),
      WithFields("ControlInValue", "X: a\x0B\r\n", 400),
      WithFields("DeleteInValue", "X: a\x7F\r\n", 400),
      WithFields("BareCrInValue", "X: a\rb\r\n", 400),
      WithFields("BareLfInValue", "X: a\nY: b\r\n", 400),
      WithFields("CrCrLf", "X: a\r\r\n", 400),
  };
}

inline std::vector<RawRequest> Lengths() {
  return {
      WithFields("Length", "Content-Length: 5\r\n", 200),
      WithFields("LengthZero", "Content-Length: 0\r\n", 200),
      WithFields("LengthPadded", "Content-Length: \t5 \r\n", 200),
      WithFields("LengthTwiceDifferent", "Content-Length: 5\r\nContent-Length: 6\r\n", 400),
      WithFields("LengthTwiceEqual", "Content-Length: 5\r\nContent-Length: 5\r\n", 400),
      WithFields("LengthList", "Content-Length: 5, 5\r\n", 400),
      WithFields("LengthEmpty", "Content-Length:\r\n", 400),
      WithFields("LengthPlus", "Content-Length: +5\r\n", 400),
      WithFields("LengthMinus", "Content-Length: -5\r\n", 400),
      WithFields("LengthHex", "Content-Length: 0x5\r\n", 400),
      WithFields("LengthFraction", "Content-Length: 5.0\r\n", 400),
      WithFields("LengthWithSpace", "Content-Length: 5 5\r\n", 400),
      WithFields("LengthWithUnderscore", "Content-Length: 1_0\r\n", 400),
      WithFields("LengthOverflow", "Content-Length: 18446744073709551621\r\n", 400),
      WithFields("LengthSpaceBeforeColon", "Content-Length : 5\r\n", 400),
  };
}

inline std::vector<RawRequest> Codings() {
  const std::string length = "Content-Length: 5\r\n";
  return {
      WithFields("Chunked", "Transfer-Encoding: chunked\r\n", 200),
      WithFields("ChunkedUpperCase", "TRANSFER-ENCODING: CHUNKED\r\n", 200),
      WithFields("ChunkedAndLength", "Transfer-Encoding: chunked\r\n" + length, 400),
      WithFields("LengthAndChunked", length + "Transfer-Encoding: chunked\r\n", 400),
      WithFields("GzipAndLength", "Transfer-Encoding: gzip\r\n" + length, 400),
      WithFields("GzipAlone", "Transfer-Encoding: gzip\r\n", 501),
      WithFields("GzipThenChunked", "Transfer-Encoding: gzip, chunked\r\n", 501),
      WithFields("ChunkedThenGzip", "Transfer-Encoding: chunked, gzip\r\n", 501),
      WithFields("ChunkedTwiceInList", "Transfer-Encoding: chunked, chunked\r\n", 501),
      WithFields("ChunkedTwice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                 400),
      WithFields("ChunkedHidden", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n", 400),
      WithFields("CodingEmpty", "Transfer-Encoding:\r\n", 501),
      WithFields("CodingIdentity", "Transfer-Encoding: identity\r\n", 501),
      WithFields("CodingQuoted", "Transfer-Encoding: \"chunked\"\r\n", 501),
      WithFields("CodingWithParameter", "Transfer-Encoding: chunked;a=b\r\n", 501),
      WithFields("CodingWithComma", "Transfer-Encoding: chunked,\r\n", 501),
      WithFields("CodingXchunked", "Transfer-Encoding: xchunked\r\n", 501),
      WithFields("CodingVerticalTab",
                 "Transfer-Encoding: \x0B"
                 "chunked\r\n",
                 400),
      WithFields("CodingSpaceBeforeColon", "Transfer-Encoding : chunked\r\n", 400),
      WithFields("CodingFolded", "Transfer-Encoding:\r\n chunked\r\n", 400),
      WithFields("CodingBehindBareLf", "X: y\nTransfer-Encoding: chunked\r\n", 400),
      {"ChunkedOn10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
  };
}

}  // namespace raw_requests

inline const std::vector<RawRequest>& RawRequests() {
  static const std::vector<RawRequest> kAll = [] {
    using namespace raw_requests;
    std::vector<RawRequest> all;
    for (const auto& part : {RequestLines(), HostFields(), Fields(), Lengths(), Codings()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kAll;
}

}  // namespace mlprof
