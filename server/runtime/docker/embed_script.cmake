# Makes OUTPUT, a source file that holds the text of SCRIPT.
file(READ ${SCRIPT} text)
file(WRITE ${OUTPUT} "// Made from deploy/base-image/build.
#include \"server/runtime/docker/base_image.h\"

namespace mlprof::server::docker {

std::string_view BaseImageScript() {
  return R\"script(${text})script\";
}

}  // namespace mlprof::server::docker
")
