// How people are told of a runtime: each names itself, and what mends it. Values.
#pragma once

#include <string>

namespace mlprof {

struct RuntimeWords {
  std::string name;           // within a sentence: "the Docker engine"
  std::string lost;           // what became of it under a profile: "went away"
  std::string bring_back;     // what to do where it stays away: "start the engine"
  std::string look;           // where to look for why it failed
  std::string check;          // what checks that it can prepare environments
  std::string device_access;  // what to see to where a launch with devices failed
};

}  // namespace mlprof
