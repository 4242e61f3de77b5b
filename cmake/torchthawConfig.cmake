# cmake/torchthawConfig.cmake: find_package(torchthaw): the libraries that are installed, each behind those that it links;
# COMPONENTS names the ones that must be there.
foreach(library my_lib my_lib_cuda th thc)
    include("${CMAKE_CURRENT_LIST_DIR}/${library}-targets.cmake" OPTIONAL RESULT_VARIABLE torchthaw_${library}_FOUND)
endforeach()
foreach(library IN LISTS torchthaw_FIND_COMPONENTS)
    if(torchthaw_FIND_REQUIRED_${library} AND NOT torchthaw_${library}_FOUND)
        set(torchthaw_FOUND FALSE)
        set(torchthaw_NOT_FOUND_MESSAGE "${library} is not installed in ${CMAKE_CURRENT_LIST_DIR}")
    endif()
endforeach()
