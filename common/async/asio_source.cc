// Asio's function bodies, compiled once for the whole project (BOOST_ASIO_SEPARATE_COMPILATION).
#include <utility>
//
#include <boost/asio/impl/src.hpp>
