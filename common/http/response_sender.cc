#include "common/http/response_sender.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "common/http/response_head.h"
#include "common/http/server_core.h"

namespace mlprof {
namespace {

constexpr std::size_t kCopiedWithHead = 64 << 10;  // a larger text goes in a write of its own

std::string Chunk(const std::string& bytes) {
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

bool MayHaveBody(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

/// Lets a stream ask for the I/O thread from anywhere, for as long as there is one.
struct ResponseSender::Doorbell {
  std::mutex mutex;
  ServerCore* core = nullptr;        // under the mutex; null once the response is over
  ResponseSender* sender = nullptr;  // I/O thread only; null once the response is over
};

ResponseSender::ResponseSender(ServerCore& core, TimedSocket& socket)
    : core_(core), socket_(socket) {}

void ResponseSender::Send(PreparedResponse prepared, SendTerms terms, std::shared_ptr<void> owner,
                          Done done) {
  prepared_ = std::move(prepared);
  terms_ = terms;
  owner_ = std::move(owner);
  done_ = std::move(done);
  auto* stream = std::get_if<std::shared_ptr<BodyStream>>(&prepared_.response.body);
  // Watching for the client's end reads bytes, which may be of its next request: so the connection
  // ends with a stream.
  if (stream) terms_.close = true;
  out_ = MakeHead();
  if (terms_.head_only || !MayHaveBody(prepared_.response.status)) {
    return Write(std::move(out_), &ResponseSender::Complete);
  }
  if (stream) {
    stream_ = std::move(*stream);
    return Write(std::move(out_), &ResponseSender::StartStream);
  }
  if (prepared_.file) {
    file_left_ = prepared_.file->size();
    return Write(std::move(out_), &ResponseSender::SendFile);
  }
  SendText();
}

std::string ResponseSender::MakeHead() {
  const HttpResponse& response = prepared_.response;
  ResponseFraming framing;
  framing.close = terms_.close;
  if (const auto* text = std::get_if<std::string>(&response.body)) {
    framing.content_length = text->size();
  } else if (prepared_.file) {
    framing.content_length = prepared_.file->size();
  } else {
    framing.chunked = terms_.minor_version == 1;
  }
  if (!MayHaveBody(response.status)) {
    framing.content_length.reset();
    framing.chunked = false;
  }
  return ResponseHead(response.status, response.headers, framing);
}

void ResponseSender::Write(std::string bytes, void (ResponseSender::*next)()) {
  out_ = std::move(bytes);
  socket_.Write(out_, core_.options.write_timeout, [this, next](IoOutcome outcome) {
    if (outcome != IoOutcome::kOk) return Finish(false);
    (this->*next)();
  });
}

void ResponseSender::SendText() {
  std::string& text = std::get<std::string>(prepared_.response.body);
  if (text.size() <= kCopiedWithHead) return Write(out_ + text, &ResponseSender::Complete);
  socket_.Write(out_, core_.options.write_timeout, [this, &text](IoOutcome outcome) {
    if (outcome != IoOutcome::kOk) return Finish(false);
    Write(std::move(text), &ResponseSender::Complete);
  });
}

void ResponseSender::SendFile() {
  if (file_left_ == 0) return Complete();
  auto piece = std::make_shared<std::string>();
  core_.RunOnWorker(
      socket_.guard(), [this, piece] { *piece = prepared_.file->Read(); },
      [this, piece](bool) {
        // A file that shrank cannot be completed; the client sees it cut short.
        if (piece->empty()) return Finish(false);
        piece->resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece->size(), file_left_)));
        file_left_ -= piece->size();
        Write(std::move(*piece), &ResponseSender::SendFile);
      });
}

void ResponseSender::StartStream() {
  doorbell_ = std::make_shared<Doorbell>();
  doorbell_->core = &core_;
  doorbell_->sender = this;
  stream_broken_ = false;
  WatchClient();
  PumpStream();
}

// While a stream has nothing to say, only a read notices that the client went away. The read may
// outlast the response, so it holds the owner itself.
void ResponseSender::WatchClient() {
  socket_.ReadWithoutDeadline([this, owner = owner_](IoOutcome outcome, std::string_view) {
    if (!done_) return;
    if (outcome == IoOutcome::kOk) return WatchClient();
    BreakStream();
  });
}

// Ends the response at once only if the stream waits for something to say. A write or a worker that
// is under way finds the stream broken when it is done, and ends it.
void ResponseSender::BreakStream() {
  stream_broken_ = true;
  socket_.Close();
  if (stream_waits_) Finish(false);
}

void ResponseSender::PumpStream() {
  auto piece = std::make_shared<std::optional<std::string>>();
  core_.RunOnWorker(
      socket_.guard(), [stream = stream_, piece] { *piece = stream->Read(); },
      [this, piece](bool ran) {
        if (!stream_) return;
        if (!ran || stream_broken_) return Finish(false);
        if (!*piece) return EndStream();
        if ((*piece)->empty()) return AwaitStream();
        const bool chunked = terms_.minor_version == 1;
        Write(chunked ? Chunk(**piece) : std::move(**piece), &ResponseSender::PumpStream);
      });
}

// Everything that ringing the bell needs memory for is made here, so that who rings it cannot fail.
void ResponseSender::AwaitStream() {
  stream_waits_ = true;
  auto work = std::make_shared<ServerCore::Work>();
  work->emplace_back([bell = doorbell_] {
    if (bell->sender) bell->sender->OnBell();
  });
  auto ring = [bell = doorbell_, work = std::move(work)] {
    const std::lock_guard lock(bell->mutex);
    if (bell->core && !work->empty()) bell->core->Post(std::move(*work));
  };
  core_.RunOnWorker(
      socket_.guard(), [stream = stream_, ring = std::move(ring)] { stream->OnReady(ring); },
      [this](bool ran) {
        if (!ran && stream_) BreakStream();
      });
}

void ResponseSender::OnBell() {
  const StepGuard guard = socket_.guard();
  guard.Run([this] {
    if (std::exchange(stream_waits_, false)) PumpStream();
  });
}

void ResponseSender::EndStream() {
  if (terms_.minor_version == 0) return Complete();
  Write("0\r\n\r\n", &ResponseSender::Complete);
}

void ResponseSender::Complete() { Finish(true); }

void ResponseSender::Finish(bool complete) {
  Silence();
  stream_.reset();
  stream_waits_ = false;
  prepared_ = {};
  out_ = {};
  const auto owner = std::exchange(owner_, nullptr);
  if (const auto done = std::exchange(done_, nullptr)) done(Outcome{complete, terms_.close});
}

void ResponseSender::LetGo() noexcept {
  Silence();
  stream_.reset();
  done_ = nullptr;
  owner_.reset();
}

void ResponseSender::Silence() noexcept {
  const auto bell = std::exchange(doorbell_, nullptr);
  if (!bell) return;
  const std::lock_guard lock(bell->mutex);
  bell->core = nullptr;
  bell->sender = nullptr;
}

}  // namespace mlprof
