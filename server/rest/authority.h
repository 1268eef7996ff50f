// "host:port" as HTTP and URLs write it. Pure; texts are in lower case.
#pragma once

#include <string>
#include <string_view>

namespace mlprof::server {

/// The authority with the scheme's own port (80, 443) where it names none.
std::string WithPort(std::string_view authority, std::string_view scheme);
/// Its host alone; an IPv6 address stays in brackets.
std::string HostOf(std::string_view authority);

/// localhost, 127.0.0.1 or [::1].
bool IsLoopbackHost(std::string_view host);
/// A host that is an IP address; IPv6 in brackets.
bool IsAddressHost(std::string_view host);
/// An IP address of this machine to itself: all of 127.0.0.0/8, ::1, IPv4 written as IPv6.
bool IsLoopbackAddress(const std::string& address);

}  // namespace mlprof::server
