// As much of HTTP/1.1 as a target needs that answers every connection on a thread of its own.
#pragma once

#include <netinet/in.h>

#include <functional>
#include <string>

/// Reads one request, head and body, into the front of `bytes`, which may hold the beginning of it
/// already and of the next one behind it. Its size; 0 at the end of the connection.
std::size_t ReadRequest(int fd, std::string& bytes);

/// Calls `serve` with each connection to the port, on a thread of its own; it closes the
/// connection. Returns, with the exit status, only where the port cannot be listened on; `program`
/// is named then.
int ServeConnections(const char* program, in_addr_t address, int port,
                     const std::function<void(int fd)>& serve);
