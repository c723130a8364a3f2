# What `cmake --install` lays down: headers, both libraries, the command, and the two descriptions
# by which other builds find them (pkg-config and CMake).
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ashlar)

install(TARGETS ashlar ashlar_shared EXPORT ashlar-targets)
install(DIRECTORY include/ TYPE INCLUDE)
install(FILES LICENSE TYPE DOC)
if(ASHLAR_TOOLS)
  install(TARGETS ashlar_command)
endif()

install(EXPORT ashlar-targets NAMESPACE ashlar:: DESTINATION ${package_dir})
configure_package_config_file(cmake/ashlar-config.cmake.in ashlar-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(ashlar-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ashlar-config.cmake
  ${PROJECT_BINARY_DIR}/ashlar-config-version.cmake DESTINATION ${package_dir})

# ashlar.pc finds the prefix from where it lies itself, so that `cmake --install --prefix` and a
# tree that was moved are right too.
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_dir} OUTPUT_VARIABLE pc_to_prefix)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE pc_libdir)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${prefix}"
  OUTPUT_VARIABLE pc_includedir)
configure_file(cmake/ashlar.pc.in ashlar.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ashlar.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
