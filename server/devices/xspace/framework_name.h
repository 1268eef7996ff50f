// How a framework calls its operations: "jit(f)/jit(main)/dot_general:" of JAX,
// "dense/MatMul:MatMul" of TensorFlow. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mlprof::server::xspace {

struct FrameworkName {
  std::string name;  // what stands before the last ':'
  std::string type;  // what stands behind it, else the last part of the name's path; "Unknown"
};

FrameworkName ParseFrameworkName(std::string_view full);
/// The type alone, within `full` where it stands there.
std::string_view TypeIn(std::string_view full);

}  // namespace mlprof::server::xspace
