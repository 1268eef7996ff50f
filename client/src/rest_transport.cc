// The only file that includes cpprestsdk; everything it throws ends here.
#include <cpprest/http_client.h>
#include <cpprest/interopstream.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <condition_variable>
#include <fstream>
#include <istream>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <system_error>

#include "client/include/mlprof/transport.h"
#include "common/text/ascii.h"

namespace mlprof::client {
namespace {

namespace http = web::http;

constexpr std::size_t kChunkBytes = std::size_t{256} * 1024;
constexpr std::size_t kLargestErrorBody = 1 << 20;

// Hands what is written to it to the caller's sink. The status must be known before the first piece
// is judged, and cpprest may deliver the piece first: it waits for the status in that case.
class SinkBuffer : public std::streambuf {
 public:
  explicit SinkBuffer(const BodySink& sink) : sink_(sink) {}

  void StatusIs(int status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    changed_.notify_all();
  }
  /// From here on nothing is passed on: cpprest may write a last piece after a cancelled exchange.
  void Detach() {
    const std::lock_guard lock(mutex_);
    detached_ = true;
    changed_.notify_all();
  }
  const std::string& error_body() const { return error_body_; }
  bool ended_by_sink() const { return ended_; }
  void CancelWith(pplx::cancellation_token_source cancel) { cancel_ = std::move(cancel); }

 protected:
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    const std::string_view piece(data, static_cast<std::size_t>(size));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return status_ != 0 || detached_; });
    if (detached_ || ended_) return size;
    if (status_ < 200 || status_ >= 300) {
      error_body_.append(piece.substr(0, kLargestErrorBody - error_body_.size()));
    } else if (!sink_(piece)) {
      ended_ = true;
      lock.unlock();
      cancel_.cancel();
    }
    return size;
  }
  int_type overflow(int_type ch) override {
    const char c = traits_type::to_char_type(ch);
    xsputn(&c, 1);
    return ch;
  }

 private:
  const BodySink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 0;
  bool detached_ = false;
  std::atomic<bool> ended_ = false;
  std::string error_body_;
  pplx::cancellation_token_source cancel_;
};

// Reads a file and tells how far it is.
class CountingFile : public std::filebuf {
 public:
  explicit CountingFile(std::function<void(std::int64_t)> on_read) : on_read_(std::move(on_read)) {}

 protected:
  std::streamsize xsgetn(char* out, std::streamsize size) override {
    const std::streamsize got = std::filebuf::xsgetn(out, size);
    read_ += got;
    if (on_read_ && got > 0) on_read_(read_);
    return got;
  }

 private:
  std::function<void(std::int64_t)> on_read_;
  std::int64_t read_ = 0;
};

// What cpprest reads from and writes to during one exchange. It holds plain pointers into this.
struct Streams {
  Streams(const BodySink& body_sink, const RestRequest& request)
      : sink(body_sink), out(&sink), file(request.on_sent), in(&file) {}
  SinkBuffer sink;
  std::ostream out;
  CountingFile file;
  std::istream in;
};

RestResponse HeadOf(const http::http_response& response) {
  RestResponse out;
  out.status = response.status_code();
  for (const auto& [name, value] : response.headers()) out.headers[Lowercase(name)] = value;
  return out;
}

// Why the last certificate was refused; cpprest tells no more than that a handshake failed.
using CertificateVerdict = std::atomic<int>;

int VerifyCertificate(X509_STORE_CTX* context, void* verdict) {
  const int verified = X509_verify_cert(context);
  int error = verified > 0 ? X509_V_OK : X509_STORE_CTX_get_error(context);
  // Asio itself compares the host's name with the certificate's, and refuses without an error code.
  if (verified <= 0 && error == X509_V_OK) error = X509_V_ERR_UNSPECIFIED;
  *static_cast<CertificateVerdict*>(verdict) = error;
  return verified;
}

bool IsFromTls(const std::error_code& code) {
  return ERR_GET_LIB(static_cast<unsigned long>(code.value())) == ERR_LIB_SSL;
}

Status CheckAuthorityFile(const std::string& file) {
  boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
  boost::system::error_code error;
  if (!file.empty()) context.load_verify_file(file, error);
  if (!error) return {};
  return Fail(InvalidArgument("the CA file " + file +
                              " (MLPROF_CA, or \"ca\" in the config file) holds no certificate "
                              "that can be read: " +
                              error.message()));
}

class CpprestTransport : public RestTransport {
 public:
  CpprestTransport(web::uri base, std::string token, std::string ca_file)
      : base_(std::move(base)), token_(std::move(token)), ca_file_(std::move(ca_file)) {}

  Result<RestResponse> Send(const RestRequest& request) override {
    std::string body;
    const BodySink keep = [&body](std::string_view piece) {
      body.append(piece);
      return true;
    };
    auto response = Stream(request, keep);
    if (response && response->ok()) response->body = std::move(body);
    return response;
  }

  Result<RestResponse> Stream(const RestRequest& request, const BodySink& sink) override {
    auto streams = std::make_shared<Streams>(sink, request);
    auto response = Guarded(request, *streams);
    streams->sink.Detach();
    // A cancelled or broken exchange may still be winding down on a thread of cpprest.
    if (!response || streams->sink.ended_by_sink()) abandoned_.push_back(std::move(streams));
    return response;
  }

 private:
  Result<RestResponse> Guarded(const RestRequest& request, Streams& streams) {
    try {
      return Exchange(request, streams);
    } catch (const http::http_exception& error) {
      return Fail(Translate(request, error.error_code(), error.what()));
    } catch (const pplx::task_canceled&) {
      return Fail(Cancelled("stopped"));
    } catch (const std::exception& error) {
      return Fail(Translate(request, {}, error.what()));
    }
  }

  Result<RestResponse> Exchange(const RestRequest& request, Streams& streams) {
    http::http_request message = MessageOf(request);
    if (!request.body_file.empty()) {
      if (streams.file.open(request.body_file, std::ios::in | std::ios::binary) == nullptr) {
        return Fail(InvalidArgument("cannot read " + request.body_file.string()));
      }
      message.set_body(concurrency::streams::stdio_istream<std::uint8_t>(streams.in),
                       std::filesystem::file_size(request.body_file),
                       message.headers().content_type());
    }
    message.set_response_stream(concurrency::streams::stdio_ostream<std::uint8_t>(streams.out));

    http::client::http_client_config config;
    config.set_timeout(request.idle_timeout);
    config.set_chunksize(kChunkBytes);
    *verdict_ = X509_V_OK;
    // The client keeps the callback, and with it the verdict, for as long as a handshake runs.
    config.set_ssl_context_callback([file = ca_file_,
                                     verdict = verdict_](boost::asio::ssl::context& context) {
      boost::system::error_code ignored;  // it was read before
      if (!file.empty()) context.load_verify_file(file, ignored);
      SSL_CTX_set_cert_verify_callback(context.native_handle(), &VerifyCertificate, verdict.get());
    });
    http::client::http_client client(base_.authority(), config);
    pplx::cancellation_token_source cancel;
    streams.sink.CancelWith(cancel);
    const std::stop_callback on_stop(request.stop, [&cancel] { cancel.cancel(); });

    http::http_response response = client.request(message, cancel.get_token()).get();
    RestResponse out = HeadOf(response);
    streams.sink.StatusIs(out.status);
    try {
      response.content_ready().get();
    } catch (const std::exception&) {
      if (!streams.sink.ended_by_sink()) throw;
    }
    out.body = streams.sink.error_body();
    return out;
  }

  http::http_request MessageOf(const RestRequest& request) const {
    http::http_request message(request.method);
    const std::string prefix = base_.path() == "/" ? "" : base_.path();
    message.set_request_uri(web::uri(prefix + request.target));
    for (const auto& [name, value] : request.headers) message.headers().add(name, value);
    if (!token_.empty()) message.headers().add("Authorization", "Bearer " + token_);
    if (!request.body.empty()) {
      const std::string type = message.headers().content_type();
      message.set_body(std::vector<unsigned char>(request.body.begin(), request.body.end()));
      if (!type.empty()) message.headers().set_content_type(type);
    }
    return message;
  }

  Error Translate(const RestRequest& request, const std::error_code& code,
                  const std::string& what) const {
    if (request.stop.stop_requested()) return Cancelled("stopped");
    if (code == std::errc::timed_out) {
      return DeadlineExceeded("no response from " + base_.to_string() + " in time");
    }
    if (IsFromTls(code)) return HandshakeError(what);
    return Unavailable("no response from " + base_.to_string() + ": " + what);
  }

  Error HandshakeError(const std::string& what) const {
    const std::string url = base_.to_string();
    switch (const int verdict = *verdict_) {
      case X509_V_OK:
        return Unavailable(url + " does not speak TLS as it should (" + what +
                           "); is it meant to be http://?");
      case X509_V_ERR_UNSPECIFIED:
      case X509_V_ERR_HOSTNAME_MISMATCH:
      case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return Unavailable("the certificate of " + url +
                           " is for other names; the server's --public-url adds one");
      default:
        return Unavailable("the certificate of " + url + " is not trusted (" +
                           X509_verify_cert_error_string(verdict) +
                           "); name its CA with MLPROF_CA=FILE, or \"ca\" in the config file. A "
                           "server that made its own has it in DATA_DIR/tls/ca.pem");
    }
  }

  web::uri base_;
  std::string token_;
  std::string ca_file_;
  std::shared_ptr<CertificateVerdict> verdict_ = std::make_shared<CertificateVerdict>(X509_V_OK);
  std::vector<std::shared_ptr<Streams>> abandoned_;
};

}  // namespace

Result<std::unique_ptr<RestTransport>> ConnectTo(const std::string& url, const std::string& token,
                                                 const std::string& ca_file) {
  MLPROF_TRY(CheckAuthorityFile(ca_file));
  try {
    web::uri base(url);
    const std::string scheme = base.scheme();
    if ((scheme != "http" && scheme != "https") || base.host().empty()) {
      return Fail(InvalidArgument("'" + url + "' is no server URL (http://HOST:PORT)"));
    }
    return std::make_unique<CpprestTransport>(std::move(base), token, ca_file);
  } catch (const std::exception& error) {
    return Fail(InvalidArgument("'" + url + "' is no server URL: " + error.what()));
  }
}

}  // namespace mlprof::client
