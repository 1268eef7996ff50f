#include "server/analysis/diagnosis.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

TEST(DiagnoseDeathTest, TellsAnOomKillFromAnyOtherKill) {
  DeathEvidence evidence;
  evidence.limits = {Cores(1.0), MiB(256)};
  evidence.signal = 9;
  EXPECT_EQ(DiagnoseDeath(evidence).code, "ModelCrashed");
  evidence.oom_kills = 1;
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "OutOfMemory");
  EXPECT_NE(error.message.find("256 MiB"), std::string::npos);
}

TEST(DiagnoseDeathTest, SaysPlainlyThatAKillTellsNothingOfTheAllocationUnlessTheModelDid) {
  DeathEvidence evidence;
  evidence.oom_kills = 1;
  EXPECT_NE(DiagnoseDeath(evidence).message.find("unknown"), std::string::npos);
  evidence.log_tail = "RESOURCE_EXHAUSTED: Out of memory allocating 1073741824 bytes.\n";
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_NE(error.message.find("before that XLA could not allocate 1 GiB"), std::string::npos);
  EXPECT_EQ(error.message.find("unknown"), std::string::npos);
  ASSERT_TRUE(error.allocation);
  EXPECT_EQ(error.allocation->asked, GiB(1));
}

TEST(DiagnoseDeathTest, TellsADevicesMemoryFromTheHosts) {
  DeathEvidence evidence;
  evidence.exit_code = 1;
  evidence.log_tail =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
      "capacity of 23.65 GiB of which 1.06 GiB is free. Of the allocated memory 18.25 GiB is "
      "allocated by PyTorch, and 3.90 GiB is reserved by PyTorch but unallocated.\n";
  const ProfileError device = DiagnoseDeath(evidence);
  EXPECT_EQ(device.code, "DeviceOutOfMemory");
  EXPECT_NE(device.advice.front().find("expandable_segments"), std::string::npos);
  evidence.log_tail = "MemoryError\n";
  const ProfileError host = DiagnoseDeath(evidence);
  EXPECT_EQ(host.code, "OutOfMemory");
  EXPECT_NE(host.advice.front().find("--memory-gb"), std::string::npos);
}

TEST(DiagnoseDeathTest, SaysWhyACommandCouldNotBeStarted) {
  DeathEvidence evidence;
  evidence.start_failed = "/server: No such file or directory";
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "StartFailed");
  EXPECT_NE(error.message.find("No such file"), std::string::npos);
}

TEST(DiagnoseDeathTest, AdvisesRunAsRootWherePermissionWasDenied) {
  DeathEvidence evidence;
  evidence.exit_code = 1;
  evidence.log_tail = "bind: Permission denied";
  EXPECT_NE(DiagnoseDeath(evidence).advice.front().find("runAsRoot"), std::string::npos);
}

TEST(DiagnoseDeathTest, AdvisesWritablePathsWhereTheRootIsReadOnly) {
  DeathEvidence evidence;
  evidence.exit_code = 1;
  evidence.log_tail = "open /var/cache/x: Read-only file system";
  EXPECT_NE(DiagnoseDeath(evidence).advice.front().find("writablePaths"), std::string::npos);
}

TEST(DiagnoseDeathTest, AdvisesWritablePathsTooWherePermissionWasDenied) {
  DeathEvidence evidence;
  evidence.exit_code = 1;
  evidence.log_tail = "cannot write to /var/cache/x: Permission denied";
  EXPECT_NE(DiagnoseDeath(evidence).advice.at(1).find("writablePaths"), std::string::npos);
}

TEST(DiagnoseDeathTest, NamesALostAgentWhenNothingElseIsKnown) {
  EXPECT_EQ(DiagnoseDeath({}).code, "AgentLost");
}

TEST(DiagnoseRowsTest, NamesTheFirstFailingRowAndKeepsItsBody) {
  RowFailureEvidence evidence;
  evidence.requests = 10;
  evidence.failures = 10;
  evidence.first_row = 3;
  evidence.first_status = 500;
  evidence.first_body = "Traceback";
  const ProfileError error = DiagnoseRows(evidence);
  EXPECT_EQ(error.code, "RowsFailed");
  EXPECT_NE(error.message.find("row 3: HTTP status 500"), std::string::npos);
  EXPECT_EQ(error.evidence, "Traceback");
}

TEST(DiagnoseRowsTest, ReadsAFailedAllocationInTheResponse) {
  RowFailureEvidence evidence;
  evidence.requests = evidence.failures = 10;
  evidence.first_row = 3;
  evidence.first_status = 500;
  evidence.first_body = "Unable to allocate 7.28 TiB for an array with shape (1000, 1000)";
  const ProfileError error = DiagnoseRows(evidence);
  EXPECT_EQ(error.code, "OutOfMemory");
  ASSERT_TRUE(error.allocation);
  EXPECT_EQ(error.allocation->runtime, AllocatingRuntime::kNumPy);
}

TEST(DiagnoseRowsTest, ReadsAFailedAllocationInTheLogOfAnEmptyError) {
  RowFailureEvidence evidence;
  evidence.requests = evidence.failures = 3;
  evidence.first_row = 0;
  evidence.first_status = 500;
  evidence.first_body = "Internal Server Error";
  evidence.log_tail =
      "numpy.core._exceptions.MemoryError: Unable to allocate 2.00 GiB for an array "
      "with shape (268435456,) and data type float64\n";
  const ProfileError error = DiagnoseRows(evidence);
  EXPECT_EQ(error.code, "OutOfMemory");
  EXPECT_EQ(error.evidence, "Internal Server Error");
  EXPECT_NE(error.advice.back().find("--max-error-rate"), std::string::npos) << "if it was not";
  evidence.first_body = "KeyError: 'age'";
  EXPECT_EQ(DiagnoseRows(evidence).code, "RowsFailed") << "the response says why";
  evidence.first_body.clear();
  evidence.log_tail = "ValueError: could not convert string to float\n";
  EXPECT_EQ(DiagnoseRows(evidence).code, "RowsFailed");
}

TEST(DiagnoseDeathTest, AStartThatNeverEndedMayHaveRunOutOfMemory) {
  DeathEvidence evidence;
  evidence.not_ready = "nothing listens there";
  EXPECT_EQ(DiagnoseDeath(evidence).code, "StartTimedOut");
  evidence.log_tail = "MemoryError\n";
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "OutOfMemory");
  EXPECT_NE(error.message.find("was not ready in time"), std::string::npos);
  EXPECT_NE(error.advice.back().find("profile logs"), std::string::npos);
  evidence.log_tail += std::string(8192, '.');
  EXPECT_EQ(DiagnoseDeath(evidence).code, "StartTimedOut") << "it was long ago";
}

TEST(DiagnoseDeathTest, AStartThatOnlyReadsItsFilesBackLacksMemory) {
  DeathEvidence evidence;
  evidence.not_ready = "nothing listens there";
  evidence.thrashing = Thrashing{5000, MiB(64)};
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "OutOfMemory");
  EXPECT_NE(error.message.find("filled its memory limit of 64 MiB"), std::string::npos);
}

TEST(DiagnoseDeathTest, NamesTheProcessThatTheKernelKilled) {
  DeathEvidence evidence;
  evidence.oom_kills = 1;
  evidence.limits = {Cores(1.0), MiB(256)};
  evidence.killed_process = "gunicorn";
  EXPECT_NE(DiagnoseDeath(evidence).message.find("the kernel killed the model's process "
                                                 "'gunicorn' for memory at the limit of 256 MiB"),
            std::string::npos);
}

TEST(DiagnoseRowsTest, TellsAResponseThatNeverEndedFromOneThatCame) {
  RowFailureEvidence evidence;
  evidence.first_row = 3;
  evidence.first_status = 200;
  evidence.first_failure = "timeout";
  EXPECT_NE(DiagnoseRows(evidence).message.find("HTTP status 200, but no whole response (timeout)"),
            std::string::npos);
}

DiskFull FullScratch() {
  DiskFull full;
  full.bytes = GiB(10);
  return full;
}

TEST(DiagnoseDeathTest, AModelThatDiesWithAFullDiskIsToldSo) {
  DeathEvidence evidence;
  evidence.exit_code = 1;
  evidence.disk_full = FullScratch();
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "DiskFull");
  EXPECT_EQ(error.message,
            "the model's command ended with exit status 1; its writable folders (/tmp, HOME, "
            "writablePaths) were full: 10 GiB is what they hold together");
  EXPECT_NE(error.advice.front().find("write less"), std::string::npos);
}

TEST(DiagnoseDeathTest, TheWatchsKillIsToldBeforeWhatItLooksLike) {
  DeathEvidence evidence;
  evidence.agent_lost = true;
  evidence.disk_full = FullScratch();
  evidence.disk_full->killed = true;
  evidence.disk_full->unit = DiskFull::Unit::kFiles;
  evidence.disk_full->files = 655'360;
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "DiskFull");
  EXPECT_NE(error.message.find("more than 655360 files"), std::string::npos);
}

TEST(DiagnoseDeathTest, MemoryIsToldBeforeAFullDisk) {
  DeathEvidence evidence;
  evidence.oom_kills = 1;
  evidence.disk_full = FullScratch();
  EXPECT_EQ(DiagnoseDeath(evidence).code, "OutOfMemory");
}

TEST(DiagnoseRowsTest, AFullDiskIsToldWithTheRowsThatFailed) {
  RowFailureEvidence evidence;
  evidence.requests = 2;
  evidence.failures = 2;
  evidence.first_row = 0;
  evidence.first_status = 500;
  evidence.disk_full = FullScratch();
  const ProfileError error = DiagnoseRows(evidence);
  EXPECT_EQ(error.code, "RowsFailed");
  EXPECT_NE(error.message.find("were full: 10 GiB"), std::string::npos);
}

TEST(DiagnosisTest, AnAbortAfterAFailedAllocationIsOfMemoryAndDoesNotDenyIt) {
  DeathEvidence evidence;
  evidence.limits = {Cores(1), MiB(512)};
  evidence.signal = 6;
  evidence.log_tail = "terminate called after throwing an instance of 'std::bad_alloc'\n";
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "OutOfMemory");
  EXPECT_EQ(error.message.find("was not the cause"), std::string::npos) << error.message;
  evidence.log_tail = "assertion failed\n";
  EXPECT_NE(DiagnoseDeath(evidence).message.find("was not the cause"), std::string::npos);
}

TEST(DiagnosisTest, AnAllocationLargerThanTheLimitIsToldAsSuch) {
  DeathEvidence evidence;
  evidence.limits = {Cores(1), MiB(512)};
  evidence.exit_code = 1;
  evidence.log_tail =
      "MemoryError: Unable to allocate 7.45 GiB for an array with shape (1000000, 1000) and data "
      "type float64\n";
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_NE(error.advice.front().find("7.5 GiB is larger than the limit of 512 MiB"),
            std::string::npos)
      << error.advice.front();
}

TEST(DiagnosisTest, ATracebackWithinAJsonBodyIsRead) {
  RowFailureEvidence evidence;
  evidence.requests = evidence.failures = 1;
  evidence.first_status = 500;
  evidence.first_body = R"({"detail":"Traceback:\n  x = make()\nMemoryError: \n"})";
  EXPECT_EQ(DiagnoseRows(evidence).code, "OutOfMemory");
  evidence.first_body = R"({"detail":"MemoryError"})";
  EXPECT_EQ(DiagnoseRows(evidence).code, "OutOfMemory");
}

TEST(DiagnosisTest, ASummaryBeforeTheErrorIsFoundAndTheLogsEndIsKept) {
  DeathEvidence evidence;
  evidence.limits = {Cores(1), MiB(512)};
  evidence.exit_code = 1;
  evidence.log_tail =
      "Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.00GiB\nLimit: 6442450944\n";
  for (int line = 0; line < 5000; ++line) evidence.log_tail += "chunk of 256 bytes\n";
  evidence.log_tail +=
      "OOM when allocating tensor with shape[256,1024] and type float on "
      "/device:GPU:0 by allocator GPU_0_bfc [Op:Fill]\n";
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "DeviceOutOfMemory");
  EXPECT_EQ(error.allocation.value().limit, GiB(6));
  EXPECT_LE(error.evidence.size(), 8U * 1024);
  EXPECT_TRUE(error.evidence.starts_with("chunk of"));
}

TEST(DiagnosisTest, AFailureThatWasOutlivedIsNotWhatItDiedOf) {
  DeathEvidence evidence;
  evidence.limits = {Cores(1), MiB(512)};
  evidence.signal = 11;
  evidence.log_tail = "std::bad_alloc, caught\n";
  for (int line = 0; line < 3000; ++line) evidence.log_tail += "answered a request\n";
  const ProfileError error = DiagnoseDeath(evidence);
  EXPECT_EQ(error.code, "ModelCrashed");
  EXPECT_FALSE(error.allocation);
}

}  // namespace
}  // namespace mlprof::server
