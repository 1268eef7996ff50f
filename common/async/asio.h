// The one door to Boost.Asio. Boost 1.74's awaitable.hpp uses std::exchange without including
// <utility>, so the order of these lines matters.
#pragma once

#include <utility>
//
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace mlprof {
namespace net = boost::asio;
}  // namespace mlprof
