# Writes OUTPUT, a C++ file with the bytes of INPUT as FUNCTION of HEADER. Run by the build:
#   cmake -DINPUT=… -DOUTPUT=… -DHEADER=… -DFUNCTION=… -P embed_file.cmake
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "(('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',))"
       "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made by the build.\n#include \"${HEADER}\"\n\nnamespace mlprof::server {\nnamespace {\n
constexpr char kBytes[] = {\n${bytes}\n};\n\n}  // namespace\n
std::string_view ${FUNCTION}() { return {kBytes, sizeof(kBytes)}; }\n\n}  // namespace mlprof::server\n")
