#include "common/http/reply_parser.h"

#include <limits>
#include <utility>
//
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace mlprof {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

constexpr std::uint32_t kMaxHeader = 64 * 1024;

std::string_view View(BeastView text) { return {text.data(), text.size()}; }

}  // namespace

class ReplyParser::Parser final : public http::basic_parser<false> {
 public:
  Parser(Bytes max_body, const std::function<bool(std::string_view)>& on_chunk)
      : max_body_(max_body), on_chunk_(on_chunk) {
    eager(true);
    header_limit(kMaxHeader);
    // Without a limit (boost::none) Beast 1.74 refuses every Content-Length.
    body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  HttpReply reply;
  bool stopped = false;
  bool too_large = false;

 private:
  void on_request_impl(http::verb, BeastView, BeastView, int, error_code&) override {}
  void on_response_impl(int code, BeastView, int, error_code&) override { reply.status = code; }
  void on_field_impl(http::field, BeastView name, BeastView value, error_code&) override {
    // Trailers come here as well, after the body began; they are dropped.
    if (!in_body_) reply.headers.Add(std::string(View(name)), std::string(View(value)));
  }
  void on_header_impl(error_code&) override { in_body_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& error) override {
    if (length && !streams() && *length > static_cast<std::uint64_t>(max_body_.count())) {
      too_large = true;
      error = http::error::body_limit;
    }
  }
  std::size_t on_body_impl(BeastView body, error_code& error) override {
    Take(View(body), error);
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView body, error_code& error) override {
    Take(View(body), error);
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  bool streams() const { return on_chunk_ && reply.status / 100 == 2; }
  void Take(std::string_view bytes, error_code& error) {
    if (streams()) {
      stopped = !on_chunk_(bytes);
      if (stopped) error = http::error::need_buffer;  // any error makes the parser return
      return;
    }
    reply.body += bytes;
    too_large = static_cast<std::int64_t>(reply.body.size()) > max_body_.count();
    if (too_large) error = http::error::body_limit;
  }

  Bytes max_body_;
  const std::function<bool(std::string_view)>& on_chunk_;
  bool in_body_ = false;
};

ReplyParser::ReplyParser(bool head_only, Bytes max_body,
                         std::function<bool(std::string_view)> on_chunk)
    : head_only_(head_only), max_body_(max_body), on_chunk_(std::move(on_chunk)) {
  Restart();
}

ReplyParser::~ReplyParser() = default;

void ReplyParser::Restart() {
  parser_ = std::make_unique<Parser>(max_body_, on_chunk_);
  parser_->skip(head_only_);
}

Status ReplyParser::Feed(std::string_view bytes) {
  pending_ += bytes;
  while (!done() && !pending_.empty()) {
    const std::size_t before = pending_.size();
    MLPROF_TRY(Advance());
    if (pending_.size() == before) break;
  }
  // Beast itself puts no limit on the length of a chunk's size line.
  if (!done() && pending_.size() > std::size_t{2} * kMaxHeader) {
    return Fail(ErrorCode::kTooLarge, "the reply has a chunk header or trailer that is too long");
  }
  return {};
}

Status ReplyParser::Advance() {
  error_code error;
  const std::size_t used = parser_->put(boost::asio::buffer(pending_), error);
  pending_.erase(0, used);
  if (parser_->stopped) return {};
  if (parser_->too_large || error == http::error::header_limit) {
    return Fail(ErrorCode::kTooLarge, "the reply is too large");
  }
  if (error && error != http::error::need_more) {
    return Fail(Internal("the reply is not HTTP: " + error.message()));
  }
  const int status = parser_->reply.status;
  if (parser_->is_header_done() && status == 101) {
    return Fail(Internal("the other side switched protocols, which was not asked for"));
  }
  if (parser_->is_done() && status / 100 == 1) Restart();
  return {};
}

Status ReplyParser::End() {
  if (done()) return {};
  error_code error;
  if (parser_->is_header_done()) {
    parser_->put_eof(error);
    if (!error && parser_->is_done()) return {};
  }
  return Fail(Unavailable(parser_->got_some() || !pending_.empty()
                              ? "the reply ended early"
                              : "the connection was closed without a reply"));
}

bool ReplyParser::done() const { return parser_->is_done() || parser_->stopped; }

HttpReply ReplyParser::TakeReply() { return std::move(parser_->reply); }

}  // namespace mlprof
