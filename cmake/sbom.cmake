# cmake/sbom.cmake: the bill of materials of a wheel, in dist-info/sboms (PEP 770): what its libraries contain and load.
#
# CycloneDX, from the table sbom.json, which also has what only some wheels contain. Without a date and a serial number:
# two builds of one commit have the same bytes. scope "optional" is loaded if it is there.
file(READ ${CMAKE_CURRENT_LIST_DIR}/sbom.json sbom)
set(version_of_libstdc++ ${CMAKE_CXX_COMPILER_VERSION})
set(version_of_cudart ${CUDAToolkit_VERSION})
set(absent "")
if(NOT CMAKE_SHARED_LINKER_FLAGS MATCHES "-static-libstdc\\+\\+")
    list(APPEND absent libstdc++)
endif()
if(NOT torchthaw_cuda)
    list(APPEND absent cudart)
endif()

string(JSON sbom SET "${sbom}" metadata component version "\"${SKBUILD_PROJECT_VERSION_FULL}\"")
string(JSON sbom SET "${sbom}" metadata component purl "\"pkg:pypi/torchthaw@${SKBUILD_PROJECT_VERSION_FULL}\"")
string(JSON count LENGTH "${sbom}" components)
foreach(index RANGE ${count} 1 -1)  # from the last: removing one renumbers those behind it
    math(EXPR index "${index} - 1")
    string(JSON name GET "${sbom}" components ${index} bom-ref)
    if(name IN_LIST absent)
        string(JSON sbom REMOVE "${sbom}" components ${index})
    elseif(version_of_${name})
        string(JSON sbom SET "${sbom}" components ${index} version "\"${version_of_${name}}\"")
    endif()
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/torchthaw.cdx.json "${sbom}\n")
install(FILES ${PROJECT_BINARY_DIR}/torchthaw.cdx.json DESTINATION ${SKBUILD_METADATA_DIR}/sboms COMPONENT python)
