// Device traces: handed in as an XSpace or taken from a profiler server, told of, and looked at
// with a tool.
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>

#include "common/json/json_reader.h"
#include "common/os/read_text.h"
#include "server/devices/profiler/live_captures.h"
#include "server/devices/xspace/left_out.h"
#include "server/devices/xspace/mapped_file.h"
#include "server/devices/xspace/read_trace.h"
#include "server/devices/xspace/tools.h"
#include "server/registry/capture_store.h"
#include "server/registry/content_type.h"
#include "server/registry/scratch_output.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

constexpr BodyPolicy kTraceBody{BodyPolicy::Kind::kSpooled, GiB(1)};
constexpr int kMostRows = 1'000;
constexpr std::size_t kMostNames = 1'000;
constexpr double kPsOfMs = 1e9;
constexpr const char* kChromeTool = "trace_viewer";
constexpr Bytes kMostChromeBytes = GiB(4);
// Clients give up after a minute without a byte.
constexpr std::chrono::seconds kLongestLook{45};
constexpr const char* kRetryAfterSeconds = "5";
constexpr Bytes kMostOrder = KiB(64);  // of a body that names an address

// A trace takes up to some GiB while it is read, so one is read at a time. Nobody waits for a turn:
// those who wait would take the workers of all other requests.
class Turn {
 public:
  static std::optional<Turn> Take() {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return std::nullopt;
    return Turn(std::move(lock));
  }

 private:
  explicit Turn(std::unique_lock<std::mutex> lock) : lock_(std::move(lock)) {}
  static inline std::mutex mutex_;
  std::unique_lock<std::mutex> lock_;
};

HttpResponse NotYourTurn(const HttpRequest& request) {
  HttpResponse response = ProblemResponse(
      Unavailable("another trace is being read; ask again in a few seconds"), request.path);
  response.headers.Set("Retry-After", kRetryAfterSeconds);
  return response;
}

xspace::TimeLimit TimeOfALook() {
  const auto end = std::chrono::steady_clock::now() + kLongestLook;
  return xspace::TimeLimit([end] { return std::chrono::steady_clock::now() >= end; });
}

// When the rows were under way, of a trace that a profile took; nullopt for any other.
Result<std::optional<xspace::RowVisits>> RowsOf(const Services& services,
                                                const std::string& workspace,
                                                const Capture& capture) {
  MLPROF_LET(file, services.captures->RowsFile(workspace, capture));
  if (!file) return std::optional<xspace::RowVisits>();
  MLPROF_LET(rows, xspace::ReadRowVisits(ReadText(*file)));
  return std::optional(std::move(rows));
}

// The trace is there although its rows may be damaged.
bool HasRows(const Services& services, const std::string& workspace, const Capture& capture) {
  const auto file = services.captures->RowsFile(workspace, capture);
  return file && *file;
}

bool AsksAboutRows(const std::string& tool, const xspace::ToolOptions& options) {
  return tool == xspace::kRowsTool || options.row || options.slowest_percent;
}

Json CaptureJson(const Capture& capture, const xspace::Trace& trace, bool with_rows) {
  std::vector<std::string> tools = xspace::ToolNames();
  if (with_rows) tools.emplace_back(xspace::kRowsTool);
  std::vector<std::string_view> planes;
  for (const auto& plane : trace.planes) planes.push_back(plane.name);
  Json out = {{"id", capture.id},
              {"sizeInBytes", capture.size.count()},
              {"createdAt", FormatTimestamp(capture.created)},
              {"eventCount", trace.EventCount()},
              {"durationInMs", static_cast<double>(trace.LastPs()) / kPsOfMs},
              {"tools", std::move(tools)}};
  xspace::SetTexts(out, "hosts", trace.hostnames, kMostNames);
  xspace::SetTexts(out, "planes", planes, kMostNames);
  return out;
}

// What is not a trace is not kept. Mapped before the file is moved into the store.
Result<HttpResponse> KeepTrace(const Services& services, const HttpRequest& request,
                               const std::string& workspace, const SpooledBody& body) {
  const auto turn = Turn::Take();
  if (!turn) return NotYourTurn(request);
  MLPROF_LET(file, MappedFile::Open(*body.file));
  MLPROF_LET(trace, xspace::ReadTrace(file.bytes()));
  MLPROF_LET(capture, services.captures->Keep(workspace, body));
  return CreatedResponse(201, CaptureJson(capture, trace, HasRows(services, workspace, capture)),
                         "/captures/" + capture.id, workspace);
}

struct CaptureOrder {
  profiler::ProfilerAddress address;
  std::chrono::milliseconds duration;
};

Result<CaptureOrder> ReadCaptureOrder(const SpooledBody& body) {
  if (body.size > kMostOrder) return Fail(ErrorCode::kTooLarge, "the body is larger than 64 KiB");
  MLPROF_LET(json, ParseJson(ReadText(*body.file)));
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  constexpr auto kSecond = std::chrono::duration<double>(1);
  constexpr NumberRange kDuration{profiler::kShortestRecording / kSecond,
                                  profiler::kLongestRecording / kSecond};
  reader.Require("address");
  const auto address = profiler::ParseProfilerAddress(reader.String("address").value_or(""));
  if (!address && problems.empty()) reader.Problem("address", address.error().message());
  const double seconds = reader.Number("durationSeconds", kDuration, Null::kAbsent).value_or(1);
  reader.RefuseUnknown();
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return CaptureOrder{*address, std::chrono::round<std::chrono::milliseconds>(seconds * kSecond)};
}

// Holds one of the server's workers for as long as the recording takes, so one is taken at a time.
Result<HttpResponse> RecordCapture(const Services& services, const HttpRequest& request,
                                   const std::string& workspace, const SpooledBody& body) {
  MLPROF_LET(order, ReadCaptureOrder(body));
  profiler::LiveCaptures& live = *services.live_captures;
  MLPROF_TRY(live.Check(order.address));
  auto turn = live.TakeTurn();
  if (!turn) {
    HttpResponse later = ProblemResponse(
        Conflict("another trace is being taken, and the server takes one at a time"), request.path);
    later.headers.Set("Retry-After", "1");
    return later;
  }
  MLPROF_LET(trace, live.Take(order.address, order.duration, services.captures->ScratchFolder()));
  turn.unlock();
  return KeepTrace(services, request, workspace, trace);
}

Result<HttpResponse> CreateCapture(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  const std::string type = ParseContentType(request.headers.Get("Content-Type").value_or("")).type;
  const auto* body = std::get_if<SpooledBody>(&request.body);
  if (body != nullptr && type == "application/json") {
    return RecordCapture(services, request, workspace, *body);
  }
  if (body == nullptr || type != "application/octet-stream") {
    return Fail(ErrorCode::kUnsupportedMedia,
                "the body must be an XSpace (.xplane.pb) as application/octet-stream, or JSON with "
                "the address of a profiler server");
  }
  return KeepTrace(services, request, workspace, *body);
}

Result<HttpResponse> GetCapture(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(capture, services.captures->Get(workspace, PathParameter(request, "id")));
  const auto turn = Turn::Take();
  if (!turn) return NotYourTurn(request);
  MLPROF_LET(path, services.captures->File(capture));
  MLPROF_LET(file, MappedFile::Open(path));
  MLPROF_LET(trace, xspace::ReadTrace(file.bytes()));
  return JsonResponse(200, CaptureJson(capture, trace, HasRows(services, workspace, capture)));
}

Result<HttpResponse> DeleteCapture(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(services.captures->Remove(workspace, PathParameter(request, "id")));
  return NoContent();
}

void ReadGrouping(QueryReader& query, xspace::ToolOptions& options) {
  const std::string by = query.Text("groupBy");
  if (by == "category") {
    options.grouping = xspace::OpGrouping::kCategory;
  } else if (by == "provenance") {
    options.grouping = xspace::OpGrouping::kProvenance;
  } else if (!by.empty() && by != "program") {
    query.Problem("groupBy", "must be program, category or provenance");
  }
  const std::string order = query.Text("sort");
  options.by_flops = order == "flops";
  if (!order.empty() && order != "flops" && order != "time") {
    query.Problem("sort", "must be time or flops");
  }
  const std::string idle = query.Text("idle");
  options.with_idle = idle != "false";
  if (!idle.empty() && idle != "false" && idle != "true") {
    query.Problem("idle", "must be true or false");
  }
}

void ReadRows(QueryReader& query, xspace::ToolOptions& options) {
  const auto row = query.Integer("row", 0, std::numeric_limits<int>::max());
  if (row) options.row = static_cast<std::uint32_t>(*row);
  options.slowest_percent = query.Percent("slowestPercent");
  if (options.row && options.slowest_percent) {
    query.Problem("slowestPercent", "is another question than row: ask one of them");
  }
}

xspace::ToolOptions ReadToolOptions(QueryReader& query) {
  xspace::ToolOptions options;
  ReadGrouping(query, options);
  ReadRows(query, options);
  options.top = static_cast<std::size_t>(query.Integer("top", 1, kMostRows).value_or(100));
  options.module = query.Text("module");
  options.memory_space = query.Integer("memorySpace", 0, 1000).value_or(0);
  options.from_ms = query.Seconds("fromMs").value_or(0);
  options.to_ms = query.Seconds("toMs").value_or(0);
  options.resolution =
      static_cast<std::size_t>(query.Integer("resolution", 0, 1'000'000).value_or(0));
  if (options.to_ms > 0 && options.to_ms <= options.from_ms) {
    query.Problem("toMs", "must be above fromMs");
  }
  return options;
}

// Through a file: a million events are some hundred MiB of JSON.
Result<HttpResponse> ChromeTraceResponse(const Services& services, const xspace::Trace& trace,
                                         const xspace::ToolOptions& options) {
  const auto scratch = services.captures->ScratchFile();
  ScratchOutput out(scratch, kMostChromeBytes, [&] { return RoomFor(*scratch); });
  MLPROF_TRY(xspace::WriteChromeTrace(trace, options,
                                      [&](std::string_view piece) { return out.Write(piece); }));
  MLPROF_TRY(out.Finish());
  HttpResponse response;
  response.headers.Set("Content-Type", "application/json");
  FileBody body;
  body.file = *scratch;
  body.keep = scratch;
  response.body = std::move(body);
  return response;
}

Result<HttpResponse> RunCaptureTool(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  xspace::ToolOptions options = ReadToolOptions(query);
  MLPROF_TRY(query.Done());
  const std::string& tool = PathParameter(request, "tool");
  MLPROF_LET(capture, services.captures->Get(workspace, PathParameter(request, "id")));
  const auto turn = Turn::Take();
  if (!turn) return NotYourTurn(request);
  options.time = TimeOfALook();
  std::optional<xspace::RowVisits> rows;
  if (AsksAboutRows(tool, options) || tool == kChromeTool) {
    auto found = RowsOf(services, workspace, capture);
    if (!found && AsksAboutRows(tool, options)) return Fail(found.error());
    if (found) rows = *std::move(found);
  }
  options.rows = rows ? &*rows : nullptr;
  MLPROF_LET(path, services.captures->File(capture));
  MLPROF_LET(file, MappedFile::Open(path));
  MLPROF_LET(trace, xspace::ReadTrace(file.bytes()));
  if (tool == kChromeTool) return ChromeTraceResponse(services, trace, options);
  MLPROF_LET(document, xspace::RunTool(trace, tool, options));
  return JsonResponse(200, document);
}

}  // namespace

void AddCaptureRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/captures", kTraceBody, Handle(services, CreateCapture)});
  router.Add({"GET", "/captures/{id}", kNoBody, Handle(services, GetCapture)});
  router.Add({"DELETE", "/captures/{id}", kNoBody, Handle(services, DeleteCapture)});
  router.Add({"GET", "/captures/{id}/tools/{tool}", kNoBody, Handle(services, RunCaptureTool)});
}

}  // namespace mlprof::server
