# cmake/install.cmake: the installed package, for find_package(torchthaw) and for pkg-config.
include(CMakePackageConfigHelpers)

# A wheel holds no symbolic links, so that each name of a library is a copy of it: SONAME and link name suffice.
if(SKBUILD)
    foreach(library my_lib my_lib_cuda th thc)
        if(TARGET ${library})
            get_target_property(soname_version ${library} SOVERSION)
            set_target_properties(${library} PROPERTIES VERSION ${soname_version})
        endif()
    endforeach()
endif()

set(package_dir share/cmake/torchthaw)
set(build_package_dir ${PROJECT_BINARY_DIR}/${package_dir})

write_basic_package_version_file(${build_package_dir}/torchthawConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
file(WRITE ${build_package_dir}/torchthawConfig.cmake
    "include(\"\${CMAKE_CURRENT_LIST_DIR}/torchthaw-targets.cmake\")\n")
install(FILES ${build_package_dir}/torchthawConfig.cmake ${build_package_dir}/torchthawConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT development)
install(EXPORT torchthaw_targets NAMESPACE torchthaw:: FILE torchthaw-targets.cmake
    DESTINATION ${package_dir} COMPONENT development)
# The build tree is a package too: find_package(torchthaw PATHS build) needs no installation.
export(EXPORT torchthaw_targets NAMESPACE torchthaw:: FILE ${build_package_dir}/torchthaw-targets.cmake)
