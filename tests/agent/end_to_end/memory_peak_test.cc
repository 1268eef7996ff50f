// Memory spikes that no sample sees, found through the real agent in real processes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/agent/end_to_end/agent_process.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;
using agent_protocol::Response;

// A server whose POST body is Python to run; before it listens it runs `at_start`, and where
// `workers` is not 0 as many forked workers serve. spike(mib, ms) touches memory, holds it and
// gives it back.
agent_protocol::Start StartOfSpiker(const std::string& at_start = "pass", int workers = 0) {
  const std::string program = R"(
import sys,socket,time,mmap,os
def spike(mib,ms):
  m=mmap.mmap(-1,mib<<20,flags=mmap.MAP_PRIVATE|mmap.MAP_ANONYMOUS)
  for i in range(0,mib<<20,4096): m[i]=1
  time.sleep(ms/1000); m.close()
def touch(mib):
  m=mmap.mmap(-1,mib<<20,flags=mmap.MAP_PRIVATE|mmap.MAP_ANONYMOUS)
  for i in range(0,mib<<20,4096): m[i]=1
  return m
kept=[]
)" + at_start + R"(
s=socket.socket(); s.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1)
s.bind(('127.0.0.1',int(sys.argv[1]))); s.listen(64)
for i in range()" + std::to_string(workers) +
                              R"():
  if os.fork()==0: break
else:
  if )" + std::to_string(workers) +
                              R"(: os.wait()
while True:
  c,_=s.accept(); d=c.recv(65536)
  if d.startswith(b'POST'):
    while b'\r\n\r\n' not in d or d.endswith(b'\r\n\r\n'): d+=c.recv(65536)
    exec(d.split(b'\r\n\r\n',1)[1].decode())
  c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'); c.close()
)";
  return StartOfPython(program, FreePort());
}

class Spiker {
 public:
  explicit Spiker(const agent_protocol::Start& start) {
    agent_.link().Start(start);
    EXPECT_TRUE(agent_.recorder().WaitReady());
  }
  Response Run(const std::string& code) {
    agent_.link().SendRow({sent_++, true, code});
    EXPECT_TRUE(agent_.recorder().WaitResponses(sent_));
    return agent_.recorder().responses.back();
  }
  AgentProcess& agent() { return agent_; }

 private:
  AgentProcess agent_;
  std::uint64_t sent_ = 0;
};

void ExpectRise(const Response& response, Bytes expected) {
  ASSERT_TRUE(response.Succeeded());
  ASSERT_TRUE(response.peak_rise);
  // 1%, and what the interpreter itself takes for a request.
  EXPECT_GE(*response.peak_rise, Scale(expected, 0.99));
  EXPECT_LE(*response.peak_rise, Scale(expected, 1.01) + MiB(1));
}

Bytes Settled(const std::vector<Sample>& samples) {
  Bytes least(std::numeric_limits<std::int64_t>::max());
  for (const Sample& sample : samples) least = std::min(least, sample.unreclaimable);
  return least;
}

TEST(AgentMemoryPeakTest, ASpikeOfFiveMillisecondsIsNamedWithItsRow) {
  Spiker spiker(StartOfSpiker());
  for (int i = 0; i < 3; ++i) {
    ExpectRise(spiker.Run("pass"), Bytes(0));
    ExpectRise(spiker.Run("spike(200,5)"), MiB(200));
  }
}

TEST(AgentMemoryPeakTest, MemoryThatARowKeepsIsARiseOfThatRowAlone) {
  Spiker spiker(StartOfSpiker());
  ExpectRise(spiker.Run("kept.append(touch(100))"), MiB(100));
  ExpectRise(spiker.Run("pass"), Bytes(0));
  ExpectRise(spiker.Run("kept.clear()"), Bytes(0));
  ExpectRise(spiker.Run("spike(50,1)"), MiB(50));
}

TEST(AgentMemoryPeakTest, ASpikeOfAForkedWorkerIsFound) {
  Spiker spiker(StartOfSpiker("kept.append(touch(40))", 3));
  for (int i = 0; i < 5; ++i) ExpectRise(spiker.Run("spike(100,2)"), MiB(100));
  // The first worker may answer before the last is there.
  EXPECT_GE(spiker.agent().recorder().ready->processes, 2);
}

TEST(AgentMemoryPeakTest, TheNextSamplesCarryTheSpike) {
  Spiker spiker(StartOfSpiker());
  spiker.Run("spike(300,3)");
  auto& recorder = spiker.agent().recorder();
  // Carried beyond the spike; but it may be taken while that is still being given back.
  ASSERT_TRUE(recorder.Wait([&] {
    const Bytes settled = Settled(recorder.samples);
    return std::any_of(recorder.samples.begin(), recorder.samples.end(), [&](const Sample& s) {
      return s.peak_unreclaimable && *s.peak_unreclaimable >= settled + MiB(280) &&
             s.unreclaimable < settled + MiB(280);
    });
  }));
}

TEST(AgentMemoryPeakTest, ASpikeDuringTheStartIsInReady) {
  Spiker spiking(StartOfSpiker("spike(600,1)"));
  const auto& ready = *spiking.agent().recorder().ready;
  auto& recorder = spiking.agent().recorder();
  ASSERT_TRUE(recorder.Wait([&] { return recorder.samples.size() > 5; }));
  spiking.agent().link().Listen(nullptr);
  // Outside a container the cgroup holds other work as well, which moves by itself.
  EXPECT_GE(ready.peak_unreclaimable, Settled(recorder.samples) + MiB(550));
}

TEST(AgentMemoryPeakTest, ProcessesAndThreadsAreCountedWhenReady) {
  Spiker spiker(StartOfSpiker(
      "import threading\n"
      "for i in range(5): threading.Thread(target=time.sleep,args=(1000,),daemon=True).start()\n"));
  EXPECT_EQ(spiker.agent().recorder().ready->processes, 1);
  EXPECT_EQ(spiker.agent().recorder().ready->threads, 6);
}

TEST(AgentMemoryPeakTest, AModelOfAnotherUserIsReadAsWell) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  auto start = StartOfSpiker();
  start.run_as_root = false;
  start.environment["HOME"] = "/tmp";
  Spiker spiker(start);
  ExpectRise(spiker.Run("spike(100,2)"), MiB(100));
}

}  // namespace
}  // namespace mlprof::server
