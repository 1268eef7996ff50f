// Rows through the real agent to real servers, well-behaved and hostile.
#include <gtest/gtest.h>

#include "tests/agent/end_to_end/agent_process.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;
using agent_protocol::Response;
using agent_protocol::Row;
using agent_protocol::RowFailure;

TEST(AgentRowsTest, GetResponsesWithStatusAndTimesInOrder) {
  AgentProcess agent;
  agent.link().Start(StartOfStaticServer(FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  EXPECT_GT(agent.recorder().ready->took, 0ns);
  for (std::uint64_t id = 0; id < 200; ++id) agent.link().SendRow({id, false, "{\"x\":1}"});
  ASSERT_TRUE(agent.recorder().WaitResponses(200));
  std::set<std::uint64_t> ids;
  for (const Response& response : agent.recorder().responses) {
    ids.insert(response.id);
    EXPECT_TRUE(response.Succeeded()) << Name(response.failure);
    EXPECT_EQ(response.body_bytes, 15u);
    EXPECT_GT(response.sent, 0ns);
    EXPECT_GE(response.first_byte, response.sent);
    EXPECT_GE(response.last_byte, response.first_byte);
    EXPECT_FALSE(response.cpu_time);
  }
  EXPECT_EQ(ids.size(), 200u);
}

TEST(AgentRowsTest, LeaveWhenTheyAreDue) {
  AgentProcess agent;
  agent.link().Start(StartOfStaticServer(FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  const auto due = std::chrono::steady_clock::now().time_since_epoch() + 50ms;
  agent.link().SendRow({1, false, "row", due});
  agent.link().SendRow({2, false, "row", due + 20ms});
  ASSERT_TRUE(agent.recorder().WaitResponses(2));
  EXPECT_GE(agent.recorder().responses.at(0).read_at, due);
  EXPECT_GE(agent.recorder().responses.at(1).read_at, due + 20ms);
}

TEST(AgentRowsTest, LeaveOnceFewerAreWithTheModelThanTheyAllow) {
  const int port = FreePort();
  AgentProcess agent;
  agent.link().Start(StartOf(
      {MLPROF_BINARY_DIR "/bin/target-target-server", "--port", std::to_string(port)}, port));
  ASSERT_TRUE(agent.recorder().WaitReady());
  for (std::uint64_t id = 0; id < 5; ++id) {
    agent.link().SendRow({id, false, "sleep=20", {}, 1});
  }
  ASSERT_TRUE(agent.recorder().WaitResponses(5));
  const auto& responses = agent.recorder().responses;
  for (std::size_t i = 1; i < 5; ++i) {
    const Response& before = responses.at(i - 1);
    EXPECT_EQ(responses.at(i).id, i);
    EXPECT_GE(responses.at(i).read_at, before.read_at + before.last_byte);
    EXPECT_LT(responses.at(i).last_byte, 200ms);  // its own time, not that of those before it
  }
}

TEST(AgentRowsTest, AreInNobodysWayWhileTheyWaitForOthers) {
  const int port = FreePort();
  AgentProcess agent;
  agent.link().Start(StartOf(
      {MLPROF_BINARY_DIR "/bin/target-target-server", "--port", std::to_string(port)}, port));
  ASSERT_TRUE(agent.recorder().WaitReady());
  agent.link().SendRow({0, false, "sleep=500"});
  agent.link().SendRow({1, false, "sleep=0", {}, 1});
  agent.link().SendRow({2, false, "sleep=0"});
  ASSERT_TRUE(agent.recorder().WaitResponses(3));
  EXPECT_EQ(agent.recorder().responses.at(0).id, 2u);
  EXPECT_EQ(agent.recorder().responses.at(2).id, 1u);
}

TEST(AgentRowsTest, FindAServerOfOneConnectionAtATimeFreeOnceItIsReady) {
  const int port = FreePort();
  AgentProcess agent;
  agent.link().Start(StartOf({MLPROF_BINARY_DIR "/bin/target-target-server", "--port",
                              std::to_string(port), "--first-idle"},
                             port));
  ASSERT_TRUE(agent.recorder().WaitReady());
  agent.link().SendRow({1, false, "burn=0"});
  ASSERT_TRUE(agent.recorder().WaitResponses(1));
  EXPECT_TRUE(agent.recorder().responses.front().Succeeded());
}

TEST(AgentRowsTest, AreTimedByTheControllersClockWhichOnOneMachineIsTheAgents) {
  AgentProcess agent;
  EXPECT_EQ(agent.link().clock_offset().ahead, 0ns);
  EXPECT_LT(agent.link().clock_offset().error, 1s);
}

// Answers with the port that the row came from.
constexpr const char* kPortTeller = R"py(
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def respond(self, status):
        self.rfile.read(int(self.headers.get('Content-Length', 0)))
        body = str(self.client_address[1]).encode()
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.respond(200)
    def do_POST(self):
        self.respond(404)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
)py";

TEST(AgentRowsTest, GoOverTheConnectionsThatTheControllerWants) {
  using agent_protocol::Connections;
  AgentProcess agent;
  agent.link().Start(StartOfPython(kPortTeller, FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  std::size_t sent = 0;
  const auto ports = [&](std::size_t rows) {
    std::set<std::string> from;
    for (std::size_t i = 0; i < rows; ++i) {
      agent.link().SendRow({sent++, false, "row"});
      EXPECT_TRUE(agent.recorder().WaitResponses(sent));
      from.insert(agent.recorder().responses.back().excerpt);
    }
    return from.size();
  };
  EXPECT_EQ(ports(4), 1u);
  agent.link().SetConnections({Connections::Policy::kOneARequest, 0});
  EXPECT_EQ(ports(4), 4u);
  agent.link().SetConnections({Connections::Policy::kManyHeld, 3});
  EXPECT_EQ(ports(6), 3u);
}

TEST(AgentRowsTest, ALargeRowGoesThroughWhole) {
  AgentProcess agent;
  agent.link().Start(StartOfStaticServer(FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  agent.link().SendRow({1, false, std::string(20u << 20, 'x')});
  agent.link().SendRow({2, false, ""});
  ASSERT_TRUE(agent.recorder().WaitResponses(2));
  for (const Response& response : agent.recorder().responses) EXPECT_TRUE(response.Succeeded());
}

TEST(AgentRowsTest, MoreRowsThanConnectionsAreQueuedHoweverFewDescriptorsAContainerGetsAtFirst) {
  const SoftDescriptorLimit few(256);
  AgentProcess agent;
  auto start = StartOfStaticServer(FreePort());
  start.command.insert(start.command.begin(),
                       {"sh", "-c", "ulimit -n $(ulimit -H -n); exec \"$@\"", "sh"});
  agent.link().Start(start);
  ASSERT_TRUE(agent.recorder().WaitReady());
  for (std::uint64_t id = 0; id < 3000; ++id) agent.link().SendRow({id, false, "row"});
  ASSERT_TRUE(agent.recorder().WaitResponses(3000));
  for (const Response& response : agent.recorder().responses) {
    ASSERT_TRUE(response.Succeeded()) << Name(response.failure);
  }
}

TEST(AgentRowsTest, BeforeTheStartNothingListens) {
  AgentProcess agent;
  agent.link().SendRow({1, false, "x"});
  ASSERT_TRUE(agent.recorder().WaitResponses(1));
  EXPECT_EQ(agent.recorder().responses[0].failure, RowFailure::kConnect);
}

TEST(AgentRowsTest, PythonsServerAndItsErrorsAreUnderstood) {
  AgentProcess agent;
  auto start = StartOf({"python3", "-m", "http.server", "--bind", "127.0.0.1"}, FreePort());
  start.command.push_back(std::to_string(start.port));
  start.working_directory = MLPROF_SOURCE_DIR;
  agent.link().Start(start);
  ASSERT_TRUE(agent.recorder().WaitReady());
  agent.link().SendRow({1, false, "row"});
  ASSERT_TRUE(agent.recorder().WaitResponses(1));
  const Response& response = agent.recorder().responses[0];
  EXPECT_EQ(response.failure, RowFailure::kNone);
  EXPECT_EQ(response.http_status, 501);
  EXPECT_NE(response.excerpt.find("Unsupported method"), std::string::npos);
}

TEST(AgentRowsTest, ACpuTimeIsAttributedToItsRow) {
  // Each row burns 30 ms of CPU.
  constexpr const char* kBurner = R"(
import sys,time,socket
s=socket.socket(); s.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1)
s.bind(('127.0.0.1',int(sys.argv[1]))); s.listen(16)
while True:
  c,_=s.accept(); d=c.recv(65536)
  if d.startswith(b'POST'):
    e=time.process_time()+0.03
    while time.process_time()<e: pass
  c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'); c.close()
)";
  AgentProcess agent;
  agent.link().Start(StartOfPython(kBurner, FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  agent.link().SendRow({1, true, "row"});
  ASSERT_TRUE(agent.recorder().WaitResponses(1));
  const Response& response = agent.recorder().responses[0];
  EXPECT_TRUE(response.Succeeded());
  // Outside a container the cgroup holds the whole machine's work, which may never settle.
  if (response.cpu_time && agent.link().hello().cgroup_version != 0) {
    EXPECT_GE(*response.cpu_time, 0ns);
  }
}

// A server that answers each connection by a script of its own: `respond(c, n)` gets the socket and
// the number of POSTs before this one; readiness is answered properly.
agent_protocol::Start StartOfScript(const std::string& respond) {
  const std::string program = "import sys,socket,time\n" + respond + R"(
s=socket.socket(); s.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1)
s.bind(('127.0.0.1',int(sys.argv[1]))); s.listen(64)
n=0
while True:
  c,_=s.accept()
  try:
    while True:
      d=b''
      while b'\r\n\r\n' not in d:
        p=c.recv(65536)
        if not p: raise OSError()
        d+=p
      if d.startswith(b'GET'):
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'); break
      n+=1
      if respond(c,n-1): break
  except OSError: pass
  c.close()
)";
  return StartOfPython(program, FreePort());
}

std::vector<Response> ResponsesOf(const std::string& script, int rows,
                                  std::chrono::milliseconds timeout = 5s) {
  AgentProcess agent;
  auto start = StartOfScript(script);
  start.request_timeout = timeout;
  agent.link().Start(start);
  EXPECT_TRUE(agent.recorder().WaitReady());
  for (int i = 0; i < rows; ++i) {
    agent.link().SendRow({static_cast<std::uint64_t>(i), false, "row"});
    EXPECT_TRUE(agent.recorder().WaitResponses(static_cast<std::size_t>(i) + 1));
  }
  agent.link().Listen(nullptr);
  return agent.recorder().responses;
}

RowFailure FailureOf(const std::string& statement) {
  const auto responses =
      ResponsesOf("def respond(c,n):\n  " + statement + "\n  return True\n", 1, 500ms);
  return responses.empty() ? RowFailure::kNone : responses[0].failure;
}

TEST(AgentHostileResponsesTest, EachFailsItsRowWithItsCause) {
  EXPECT_EQ(FailureOf("c.sendall(b'hello\\r\\n')"), RowFailure::kMalformed);
  EXPECT_EQ(FailureOf("c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 9\\r\\n\\r\\nx')"),
            RowFailure::kReset);
  EXPECT_EQ(FailureOf("pass"), RowFailure::kReset);
  EXPECT_EQ(FailureOf("time.sleep(3)"), RowFailure::kTimeout);
  EXPECT_EQ(FailureOf("c.sendall(b'HTTP/1.1 200 OK\\r\\na: '+b'x'*100000)"),
            RowFailure::kMalformed);
  EXPECT_EQ(FailureOf("c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2000000000\\r\\n\\r\\n')"),
            RowFailure::kTooLarge);
}

TEST(AgentHostileResponsesTest, AResponseGivenTwiceFailsTheNextRow) {
  const auto responses = ResponsesOf(
      "def respond(c,n):\n  c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n'*2)\n",
      3);
  ASSERT_EQ(responses.size(), 3u);
  EXPECT_TRUE(responses[0].Succeeded());
  EXPECT_EQ(responses[1].failure, RowFailure::kUnasked);
  EXPECT_TRUE(responses[2].Succeeded());
}

TEST(AgentHostileResponsesTest, AConnectionClosedWhileIdleIsTriedOnceMore) {
  const auto responses = ResponsesOf(
      "def respond(c,n):\n  c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n')\n"
      "  return True\n",
      5);
  ASSERT_EQ(responses.size(), 5u);
  for (const Response& response : responses) {
    EXPECT_TRUE(response.Succeeded()) << Name(response.failure);
  }
}

TEST(AgentHostileResponsesTest, ChunkedInterimAndEofEndedResponsesSucceed) {
  const auto responses = ResponsesOf(R"(
def respond(c,n):
  if n==0: c.sendall(b'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n')
  elif n==1: c.sendall(b'HTTP/1.1 200 OK\r\n\r\n'); c.sendall(b'x'*1000); return True
)",
                                     2);
  ASSERT_EQ(responses.size(), 2u);
  EXPECT_TRUE(responses[0].Succeeded());
  EXPECT_EQ(responses[0].body_bytes, 3u);
  EXPECT_TRUE(responses[1].Succeeded());
  EXPECT_EQ(responses[1].body_bytes, 1000u);
}

}  // namespace
}  // namespace mlprof::server
