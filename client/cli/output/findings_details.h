// What the analyses found, as far as a person has to act on it or to know it.
#pragma once

#include "client/cli/output/details.h"
#include "common/domain/findings.h"

namespace mlprof::client::cli {

/// Nothing, not even a heading, where nothing was found.
void WriteFindings(const Findings& findings, Details& details);

/// "row 7 takes 476.8 MiB of memory (median 1 MiB)"
std::string Text(const HeavyRow& row);
/// "grows by 1 KiB a request (over 5000); out of memory in 37 h at this rate"
std::string Text(const MemoryFindings& memory);
/// "up to 16 at a time, at most 1.27 GiB, at most 2 cores"
std::string Text(const OverloadFindings& overload);

}  // namespace mlprof::client::cli
