// Row records as blobs, and the samples of profiles from before there were series (series_codec.h),
// which are only read.
//
// A sample batch: a version byte, then for every sample the differences to the one before it (the
// first: to zero), as signed variable-length integers in the order of the struct, times in
// nanoseconds, and the host's pressure as an optional double. Counters that hardly move take one
// byte each.
//
// Row records: a version byte 2, then for every row its fields in order, integers variable, medians
// and first visits optional doubles. Those of version 1 end with the peak, and are only read.
//
// Decoders give kInternal for bytes that are none of theirs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/sample.h"
#include "common/domain/trial.h"
#include "common/result/result.h"

namespace mlprof::server {

/// Appends to `samples`.
Status DecodeSamples(std::string_view bytes, std::vector<Sample>& samples);

std::string EncodeRowRecords(std::span<const RowRecord> rows);
Result<std::vector<RowRecord>> DecodeRowRecords(std::string_view bytes);

}  // namespace mlprof::server
