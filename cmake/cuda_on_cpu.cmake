# cmake/cuda_on_cpu.cmake: CUDA sources compiled for the CPU, by the nvcc of src/torchthaw/cuda_on_cpu.
#
# torchthaw_cuda_on_cpu says whether that is possible: nvcc is Python. Its toolkit, headers and all, is in
# ${cuda_on_cpu_home}; the libraries of CUDA code, which have the names of those for GPUs, lie in lib/cuda_on_cpu.
find_package(Python 3.10 QUIET COMPONENTS Interpreter)
set(torchthaw_cuda_on_cpu ${Python_Interpreter_FOUND})
if(NOT torchthaw_cuda_on_cpu)
    message(NOTICE "No Python was found: CUDA code is not built for the CPU.")
endif()
set(cuda_on_cpu_home ${PROJECT_BINARY_DIR}/cuda_on_cpu)
set(cuda_on_cpu_sources ${PROJECT_SOURCE_DIR}/src/torchthaw/cuda_on_cpu)

# Makes the toolkit, as soon as its runtime is built: the target cuda_on_cpu_toolkit.
function(cuda_on_cpu_make_toolkit)
    add_custom_command(OUTPUT ${cuda_on_cpu_home}/made
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${cuda_on_cpu_home}
        COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/src
            ${Python_EXECUTABLE} -m torchthaw.cuda_on_cpu ${cuda_on_cpu_home} $<TARGET_SONAME_FILE:cuda_on_cpu>
        COMMAND ${CMAKE_COMMAND} -E touch ${cuda_on_cpu_home}/made
        DEPENDS ${cuda_on_cpu_sources}/toolkit_folder.py ${cuda_on_cpu_sources}/../base/cache.py
            ${cuda_on_cpu_sources}/../base/isolated.py VERBATIM)
    add_custom_target(cuda_on_cpu_toolkit DEPENDS ${cuda_on_cpu_home}/made)
    add_dependencies(cuda_on_cpu_toolkit cuda_on_cpu)
endfunction()

# Compiles a CUDA source for `target`, with its include folders and definitions: sets `result` to the object.
# cuda_on_cpu_object(result target source OPTIONS ...): OPTIONS are those of the C++ compiler.
function(cuda_on_cpu_object result target source)
    cmake_parse_arguments(given "" "" "OPTIONS" ${ARGN})
    get_directory_property(options COMPILE_OPTIONS)
    list(FILTER options EXCLUDE REGEX "^-W")
    list(APPEND options -fPIC -fvisibility-inlines-hidden -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
        -ffile-prefix-map=${cuda_on_cpu_home}/= ${given_OPTIONS})
    list(JOIN options "," options)
    string(REPLACE " " "\\ " options "${options}")  # of a path
    set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    file(RELATIVE_PATH object ${PROJECT_SOURCE_DIR} ${source})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}/${object}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${object}
        COMMAND ${cuda_on_cpu_home}/bin/nvcc -ccbin ${CMAKE_CXX_COMPILER} -O2 -std=c++17
            "-Xcompiler=${options}" "-I$<JOIN:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,;-I>"
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            -c ${source} -o ${object} -MD -MF ${object}.d
        DEPENDS ${source} cuda_on_cpu_toolkit ${cuda_on_cpu_home}/made ${cuda_on_cpu_sources}/nvcc.py
            ${cuda_on_cpu_sources}/translation/translate.py
        DEPFILE ${object}.d COMMAND_EXPAND_LISTS VERBATIM)
    set(${result} ${object} PARENT_SCOPE)
endfunction()

# The shared library `target` of CUDA and C++ sources: cuda_on_cpu_library(target OUTPUT_NAME name SOURCES ... OPTIONS ...)
# OPTIONS are those of the C++ compiler for CUDA sources; the target's own options are for the others.
function(cuda_on_cpu_library target)
    cmake_parse_arguments(given "" "OUTPUT_NAME" "SOURCES;OPTIONS" ${ARGN})
    set(cuda_sources ${given_SOURCES})
    list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
    list(FILTER given_SOURCES EXCLUDE REGEX "\\.cu$")
    set(objects "")
    foreach(source IN LISTS cuda_sources)
        cuda_on_cpu_object(object ${target} ${source} OPTIONS ${given_OPTIONS})
        list(APPEND objects ${object})
    endforeach()
    add_library(${target} SHARED ${given_SOURCES} ${objects})
    add_dependencies(${target} cuda_on_cpu_toolkit)
    target_include_directories(${target} PRIVATE ${cuda_on_cpu_home}/include)
    target_link_libraries(${target} PRIVATE cuda_on_cpu ${CMAKE_DL_LIBS})
    # One file with the SONAME as its name: a wheel holds no symbolic links.
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${given_OUTPUT_NAME} LINKER_LANGUAGE CXX
        VERSION ${PROJECT_VERSION_MAJOR} SOVERSION ${PROJECT_VERSION_MAJOR}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/cuda_on_cpu
        BUILD_RPATH_USE_ORIGIN ON)
endfunction()
