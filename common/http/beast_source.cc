// Beast's function bodies, compiled once for the whole project (BOOST_BEAST_SEPARATE_COMPILATION).
#include <utility>
//
#include <boost/beast/src.hpp>
