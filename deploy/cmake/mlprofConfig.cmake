# find_package(mlprof) gives mlprof::client, in C++20. Its headers want tl/expected.hpp (Debian's
# libexpected-dev), and linking it cpprestsdk, OpenSSL and Boost.System as it was built with.
include(CMakeFindDependencyMacro)
find_dependency(OpenSSL)
include(${CMAKE_CURRENT_LIST_DIR}/mlprofTargets.cmake)
