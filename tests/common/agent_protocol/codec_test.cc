#include "common/agent_protocol/codec.h"

#include <gtest/gtest.h>

#include <cstring>

namespace mlprof::agent_protocol {
namespace {

using namespace std::chrono_literals;

template <class Message>
std::string Payload(const Message& message) {
  std::string frame;
  Append(frame, message);
  return frame.substr(kFrameHeaderBytes);
}

Start FullStart() {
  Start start;
  start.command = {"python", "-m", "server", ""};
  start.environment = {{"PATH", "/bin"}, {"EMPTY", ""}};
  start.working_directory = "/srv";
  start.user = "web:www";
  start.run_as_root = true;
  start.stop_signal = "SIGQUIT";
  start.port = 65535;
  start.method = "PUT";
  start.path = "/score?x=1";
  start.headers = {{"Content-Type", "application/json"}};
  start.readiness_path = "/ready";
  start.start_timeout = 1s;
  start.request_timeout = 2s;
  start.sample_interval = 1234us;
  start.drop_cache = {"/", "/mnt/model"};
  start.watch_writes = true;
  return start;
}

TEST(AgentCodecTest, StartComesBackWhole) {
  const Start sent = FullStart();
  const auto got = DecodeStart(Payload(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->command, sent.command);
  EXPECT_EQ(got->environment, sent.environment);
  EXPECT_EQ(got->working_directory, sent.working_directory);
  EXPECT_EQ(got->user, sent.user);
  EXPECT_TRUE(got->run_as_root);
  EXPECT_EQ(got->stop_signal, sent.stop_signal);
  EXPECT_EQ(got->port, sent.port);
  EXPECT_EQ(got->method, sent.method);
  EXPECT_EQ(got->path, sent.path);
  EXPECT_EQ(got->headers, sent.headers);
  EXPECT_EQ(got->readiness_path, sent.readiness_path);
  EXPECT_EQ(got->start_timeout, sent.start_timeout);
  EXPECT_EQ(got->request_timeout, sent.request_timeout);
  EXPECT_EQ(got->sample_interval, sent.sample_interval);
  EXPECT_EQ(got->drop_cache, sent.drop_cache);
  EXPECT_EQ(got->watch_writes, sent.watch_writes);
}

TEST(AgentCodecTest, StartWithoutSenseIsRefused) {
  Start start = FullStart();
  start.port = 0;
  EXPECT_FALSE(DecodeStart(Payload(start)));
  start = FullStart();
  start.command.clear();
  EXPECT_FALSE(DecodeStart(Payload(start)));
  start = FullStart();
  start.request_timeout = 0ms;
  EXPECT_FALSE(DecodeStart(Payload(start)));
}

TEST(AgentCodecTest, RowKeepsItsBytes) {
  Row row;
  row.id = 1ull << 60;
  row.attribute = true;
  row.body = std::string("a\0b\n\xff", 5);
  row.due = 5s;
  row.most_in_flight = 3;
  const std::string payload = Payload(row);
  const auto got = DecodeRow(payload);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->id, row.id);
  EXPECT_TRUE(got->attribute);
  EXPECT_EQ(got->body, row.body);
  EXPECT_EQ(got->due, 5s);
  EXPECT_EQ(got->most_in_flight, 3u);
}

TEST(AgentCodecTest, ResponseComesBackWholeAndItsExcerptIsBounded) {
  Response response;
  response.id = 7;
  response.failure = RowFailure::kTooLarge;
  response.http_status = 503;
  response.read_at = 5s;
  response.sent = 1ns;
  response.first_byte = 2ns;
  response.last_byte = 3ns;
  response.cpu_time = 4ns;
  response.peak_rise = MiB(500);
  response.body_bytes = 1ull << 40;
  response.excerpt = std::string(5000, 'x');
  const auto got = DecodeResponse(Payload(response));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->id, 7u);
  EXPECT_EQ(got->failure, RowFailure::kTooLarge);
  EXPECT_EQ(got->http_status, 503);
  EXPECT_EQ(got->read_at, 5s);
  EXPECT_EQ(got->sent, 1ns);
  EXPECT_EQ(got->first_byte, 2ns);
  EXPECT_EQ(got->last_byte, 3ns);
  EXPECT_EQ(got->cpu_time, 4ns);
  EXPECT_EQ(got->peak_rise, MiB(500));
  EXPECT_EQ(got->body_bytes, 1ull << 40);
  EXPECT_EQ(got->excerpt.size(), kMaxExcerpt);
}

TEST(AgentCodecTest, WhatWasNotMeasuredStaysAbsent) {
  const auto response = DecodeResponse(Payload(Response{}));
  ASSERT_TRUE(response);
  EXPECT_FALSE(response->cpu_time);
  EXPECT_FALSE(response->peak_rise);
  const auto sample = DecodeSample(Payload(Sample{}));
  ASSERT_TRUE(sample);
  EXPECT_FALSE(sample->host_cpu_pressure);
  EXPECT_FALSE(sample->peak_unreclaimable);
  EXPECT_FALSE(sample->memory_stall);
  EXPECT_FALSE(sample->run_queue_wait);
}

TEST(AgentCodecTest, AMeasuredZeroIsNotAbsent) {
  Response response;
  response.peak_rise = Bytes(0);
  EXPECT_EQ(DecodeResponse(Payload(response))->peak_rise, Bytes(0));
  Sample sample;
  sample.peak_unreclaimable = Bytes(0);
  sample.memory_stall = 0ns;
  sample.run_queue_wait = 0ns;
  const auto got = DecodeSample(Payload(sample));
  EXPECT_EQ(got->peak_unreclaimable, Bytes(0));
  EXPECT_EQ(got->memory_stall, 0ns);
  EXPECT_EQ(got->run_queue_wait, 0ns);
}

TEST(AgentCodecTest, SampleComesBackWhole) {
  Sample sample;
  sample.at = 1ns;
  sample.cpu_time = 2ns;
  sample.periods = 3;
  sample.throttled_periods = 4;
  sample.throttled_time = 5ns;
  sample.usage = Bytes(6);
  sample.unreclaimable = Bytes(7);
  sample.cache = Bytes(8);
  sample.processes = 9;
  sample.oom_kills = 10;
  sample.host_cpu_pressure = 11.5;
  sample.agent_cpu_time = 12ns;
  sample.agent_memory = Bytes(13);
  sample.peak_unreclaimable = Bytes(14);
  sample.mapped_file = Bytes(15);
  sample.file_refaults = 16;
  sample.major_faults = 17;
  sample.memory_stall = 18ns;
  sample.run_queue_wait = 19ns;
  sample.uncharged_file = Bytes(20);
  const auto got = DecodeSample(Payload(sample));
  ASSERT_TRUE(got);
  EXPECT_EQ(Payload(*got), Payload(sample));
  EXPECT_EQ(got->uncharged_file, Bytes(20));
  EXPECT_EQ(got->host_cpu_pressure, 11.5);
  EXPECT_EQ(got->agent_memory, Bytes(13));
  EXPECT_EQ(got->peak_unreclaimable, Bytes(14));
  EXPECT_EQ(got->mapped_file, Bytes(15));
  EXPECT_EQ(got->file_refaults, 16);
  EXPECT_EQ(got->major_faults, 17);
  EXPECT_EQ(got->memory_stall, 18ns);
  EXPECT_EQ(got->run_queue_wait, 19ns);
}

TEST(AgentCodecTest, TheSmallOnesComeBackWhole) {
  const auto hello = DecodeHello(Payload(Hello{kVersion, "1.2.3", 1, 2}));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->version, kVersion);
  EXPECT_EQ(hello->agent_version, "1.2.3");
  EXPECT_EQ(hello->pid, 1);
  EXPECT_EQ(hello->cgroup_version, 2);
  const auto ready =
      DecodeReady(Payload(Ready{1s, 2s, MiB(3), 4, 5, {"libgomp", "libopenblas"}, GiB(6)}));
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->took, 1s);
  EXPECT_EQ(ready->cpu_time, 2s);
  EXPECT_EQ(ready->peak_unreclaimable, MiB(3));
  EXPECT_EQ(ready->processes, 4);
  EXPECT_EQ(ready->threads, 5);
  EXPECT_EQ(ready->thread_pools, (std::vector<std::string>{"libgomp", "libopenblas"}));
  EXPECT_EQ(ready->address_space, GiB(6));
  ProcessEvent event{ProcessEvent::Kind::kOomKill, 12, 3, 9, 4, "why", "/app"};
  const auto got = DecodeProcessEvent(Payload(event));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, ProcessEvent::Kind::kOomKill);
  EXPECT_EQ(got->pid, 12);
  EXPECT_EQ(got->exit_code, 3);
  EXPECT_EQ(got->signal, 9);
  EXPECT_EQ(got->oom_kills, 4);
  EXPECT_EQ(got->detail, "why");
  EXPECT_EQ(got->folder, "/app");
  const auto stop = DecodeStop(Payload(Stop{250ms}));
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->grace, 250ms);
  EXPECT_FALSE(DecodeStop(Payload(Stop{-1ms})));
}

TEST(AgentCodecTest, ClockProbesAndReadingsComeBackWhole) {
  EXPECT_EQ(DecodeClockProbe(Payload(ClockProbe{7}))->number, 7U);
  const auto reading = DecodeClockReading(Payload(ClockReading{7, -3s}));
  EXPECT_EQ(reading->number, 7U);
  EXPECT_EQ(reading->at, -3s);
}

TEST(AgentCodecTest, ConnectionsComeBackWholeAndMakeSense) {
  using Policy = Connections::Policy;
  for (const Connections& sent :
       {Connections{}, Connections{Policy::kOneARequest, 0}, Connections{Policy::kManyHeld, 1},
        Connections{Policy::kManyHeld, kMaxConnections}}) {
    EXPECT_EQ(DecodeConnections(Payload(sent)).value(), sent);
  }
  for (const Connections& senseless :
       {Connections{Policy::kManyHeld, 0}, Connections{Policy::kManyHeld, kMaxConnections + 1},
        Connections{Policy::kKeptAlive, 1}, Connections{static_cast<Policy>(3), 0}}) {
    EXPECT_FALSE(DecodeConnections(Payload(senseless)));
  }
}

Processes ACensus() {
  Processes census{7, -3s, {}, true};
  census.processes.push_back({11, 1, 5s, 6ns, MiB(7), MiB(3), Listens::kYes, ~0ull});
  census.processes.push_back({12, 11, 6s, 7ns, MiB(8), std::nullopt, Listens::kUnknown, 5});
  return census;
}

TEST(AgentCodecTest, ACensusComesBackWhole) {
  EXPECT_EQ(DecodeCensusQuestion(Payload(CensusQuestion{7}))->number, 7U);
  const Processes sent = ACensus();
  const auto got = DecodeProcesses(Payload(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->number, 7U);
  EXPECT_EQ(got->at, -3s);
  EXPECT_TRUE(got->more);
  EXPECT_EQ(got->processes, sent.processes);
}

TEST(AgentCodecTest, MoreProcessesThanAFrameHoldsAreCutAndToldOf) {
  Processes census;
  census.processes.resize(kMaxProcesses + 1);
  const std::string payload = Payload(census);
  EXPECT_LE(payload.size(), MaxPayload(Sender::kAgent, FrameType::kProcesses));
  const auto got = DecodeProcesses(payload);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->processes.size(), kMaxProcesses);
  EXPECT_TRUE(got->more);
}

TEST(AgentCodecTest, AHelloOfAnotherVersionIsReadNoFurther) {
  Hello other;
  other.version = kVersion - 1;
  const std::string payload = Payload(other);
  EXPECT_EQ(DecodeHello(payload.substr(0, 4))->version, kVersion - 1);
  EXPECT_EQ(DecodeHello(payload + "x")->version, kVersion - 1);
  EXPECT_FALSE(DecodeHello(payload.substr(0, 3)));
}

TEST(AgentCodecTest, MoreThreadPoolsThanAFrameHoldsAreCut) {
  Ready ready;
  ready.thread_pools.assign(200, std::string(500, 'p'));
  const std::string payload = Payload(ready);
  EXPECT_LE(payload.size(), MaxPayload(Sender::kAgent, FrameType::kReady));
  const auto got = DecodeReady(payload);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->thread_pools.size(), kMaxThreadPools);
  EXPECT_EQ(got->thread_pools.front().size(), kMaxThreadPoolName);
}

// Every decoder takes exactly one message: nothing shorter, nothing longer.
template <class Message, class Decode>
void ExpectExact(const Message& message, Decode decode) {
  const std::string payload = Payload(message);
  for (std::size_t cut = 0; cut < payload.size(); ++cut) {
    EXPECT_FALSE(decode(std::string_view(payload).substr(0, cut))) << cut;
  }
  EXPECT_FALSE(decode(payload + "x"));
}

TEST(AgentCodecTest, ATruncatedOrPaddedMessageIsRefused) {
  ExpectExact(Hello{}, DecodeHello);
  ExpectExact(FullStart(), DecodeStart);
  ExpectExact(Ready{1s, 2s, MiB(3), 4, 5, {"libgomp"}}, DecodeReady);
  ExpectExact(Sample{}, DecodeSample);
  ExpectExact(ProcessEvent{}, DecodeProcessEvent);
  ExpectExact(Stop{}, DecodeStop);
  ExpectExact(ClockProbe{}, DecodeClockProbe);
  ExpectExact(Connections{}, DecodeConnections);
  ExpectExact(ClockReading{}, DecodeClockReading);
  ExpectExact(CensusQuestion{}, DecodeCensusQuestion);
  ExpectExact(ACensus(), DecodeProcesses);
}

TEST(AgentCodecTest, FalseCountsAndLengthsReserveNothing) {
  EXPECT_FALSE(DecodeStart(std::string("\xff\xff\xff\xff", 4)));
  EXPECT_FALSE(DecodeStart(std::string("\x01\0\0\0\xff\xff\xff\x7f", 8)));
}

TEST(AgentCodecTest, ValuesOutsideTheirEnumsAreRefused) {
  std::string response = Payload(Response{});
  response[8] = 7;  // failure
  EXPECT_FALSE(DecodeResponse(response));
  response = Payload(Response{});
  response[10] = '\x7f';  // status 32512
  EXPECT_FALSE(DecodeResponse(response));
  std::string event = Payload(ProcessEvent{});
  event[0] = static_cast<char>(ProcessEvent::Kind::kToldToEnd) + 1;
  EXPECT_FALSE(DecodeProcessEvent(event));
  std::string row = Payload(Row{});
  row[8] = 2;  // a flag is 0 or 1
  EXPECT_FALSE(DecodeRow(row));
  Processes one;
  one.processes.emplace_back();
  std::string census = Payload(one);
  census[census.size() - 9] = 3;  // whether it listens
  EXPECT_FALSE(DecodeProcesses(census));
}

TEST(AgentCodecTest, EveryFailureAndEventHasAName) {
  for (int i = 0; i <= static_cast<int>(RowFailure::kTooLarge); ++i) {
    EXPECT_NE(Name(static_cast<RowFailure>(i)), "unknown");
  }
  for (int i = 0; i <= static_cast<int>(ProcessEvent::Kind::kToldToEnd); ++i) {
    EXPECT_NE(Name(static_cast<ProcessEvent::Kind>(i)), "unknown");
  }
}

}  // namespace
}  // namespace mlprof::agent_protocol
