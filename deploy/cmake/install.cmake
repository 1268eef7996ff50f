# cmake --install puts the programs into bin/, where mlprof-server finds the agent beside itself, and
# the client library with its headers where find_package(mlprof) finds mlprof::client.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS mlprof-server mlprof-agent)
if(NOT MLPROF_BUILD_CLIENT)
  return()
endif()

install(TARGETS mlprof)
install(TARGETS mlprof_client mlprof_hash mlprof_common EXPORT mlprof)
install(DIRECTORY client/include/mlprof DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# What the public headers include is named from the root of the repository: common/result/result.h.
# It lies below mlprof/, so that no other package's common/ meets it.
foreach(folder domain result time units)
  install(DIRECTORY common/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mlprof/common
          FILES_MATCHING PATTERN "*.h")
endforeach()
target_include_directories(mlprof_client INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/mlprof>)
target_compile_features(mlprof_client INTERFACE cxx_std_20)
set_target_properties(mlprof_client PROPERTIES EXPORT_NAME client)
set_target_properties(mlprof_hash PROPERTIES EXPORT_NAME hash)
set_target_properties(mlprof_common PROPERTIES EXPORT_NAME common)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/mlprof)
install(EXPORT mlprof NAMESPACE mlprof:: FILE mlprofTargets.cmake DESTINATION ${package_folder})
# The interface of version 0 may change with each minor version.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/mlprofConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES deploy/cmake/mlprofConfig.cmake ${CMAKE_BINARY_DIR}/mlprofConfigVersion.cmake
        DESTINATION ${package_folder})
