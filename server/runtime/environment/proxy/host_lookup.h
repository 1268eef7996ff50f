// What this machine is called, which addresses it has, and what names mean here.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "common/time/deadline.h"
#include "server/runtime/environment/proxy/endpoint.h"

namespace mlprof::server::environment {

/// Of all its interfaces.
std::vector<IpAddress> OwnAddresses();
/// Its host name, whole and without domain; lower case.
std::vector<std::string> OwnNames();

/// What a name means to programs of this machine; empty where it means nothing, or where that could
/// not be told in time. Resolvers can hang for long: this one is a child process, which is ended at
/// `deadline` and by `stop`.
std::vector<IpAddress> LookUp(const std::string& host, std::stop_token stop, Deadline deadline);

}  // namespace mlprof::server::environment
