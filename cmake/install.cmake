# cmake/install.cmake: how a shared library is installed: as a component of its name, for find_package(torchthaw) and for
# pkg-config, so that each can be built and installed alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(torchthaw_package share/cmake/torchthaw)
# The build tree is a package too: find_package(torchthaw PATHS build) needs no installation.
set(torchthaw_build_package ${PROJECT_BINARY_DIR}/${torchthaw_package})
write_basic_package_version_file(${torchthaw_build_package}/torchthawConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
configure_file(${CMAKE_CURRENT_LIST_DIR}/torchthawConfig.cmake ${torchthaw_build_package}/torchthawConfig.cmake COPYONLY)

# Installs the target `library`, its CMake package and, where there is one, its file for pkg-config. Other targets that are
# installed with EXPORT ${library}_targets before belong to it.
function(torchthaw_install library)
    set(namelink NAMELINK_COMPONENT ${library})
    # A wheel holds no symbolic links, which would be copies of the library: its one file has the name of the SONAME, and
    # the name for the linker is a script for it.
    if(SKBUILD)
        get_target_property(major ${library} SOVERSION)
        set_target_properties(${library} PROPERTIES VERSION ${major})
        set(script ${CMAKE_CURRENT_BINARY_DIR}/lib${library}.so)
        file(WRITE ${script} "INPUT(lib${library}.so.${major})\n")
        install(FILES ${script} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${library})
        set(namelink NAMELINK_SKIP)
    endif()
    install(TARGETS ${library} EXPORT ${library}_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${library} ${namelink})

    set(targets NAMESPACE torchthaw:: FILE)
    install(EXPORT ${library}_targets ${targets} ${library}-targets.cmake
        DESTINATION ${torchthaw_package} COMPONENT ${library})
    export(EXPORT ${library}_targets ${targets} ${torchthaw_build_package}/${library}-targets.cmake)
    install(FILES ${torchthaw_build_package}/torchthawConfig.cmake ${torchthaw_build_package}/torchthawConfigVersion.cmake
        DESTINATION ${torchthaw_package} COMPONENT ${library})

    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${library}.pc.in)
        configure_file(${library}.pc.in ${library}.pc @ONLY)
        install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${library}.pc DESTINATION share/pkgconfig COMPONENT ${library})
    endif()
endfunction()
