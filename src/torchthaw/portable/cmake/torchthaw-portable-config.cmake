# torchthaw-portable-config.cmake: find_package(torchthaw-portable) gives torchthaw_add_portable_extension.
#
#     find_package(torchthaw-portable REQUIRED)
#     torchthaw_add_portable_extension(my_extension my_extension.cpp)
#
# The target is a module library in one file, my_extension.abi3.so, for every PyTorch >= 2.4 and CPython >= 3.10. Sources
# are C++ of torch/extension.h, and CUDA in a project of that language: its CMAKE_CUDA_ARCHITECTURES says for which GPUs.
# target_include_directories() and others apply as to any target.

if(NOT Python_EXECUTABLE)
    find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
endif()

function(torchthaw_add_portable_extension name)
    if(NOT ARGN)
        message(FATAL_ERROR "torchthaw_add_portable_extension(${name}): expected one or more sources, got none")
    endif()
    set(sources)
    foreach(source IN LISTS ARGN)
        if(source MATCHES "\\.cu$" AND NOT CMAKE_CUDA_COMPILER)
            message(FATAL_ERROR
                "torchthaw_add_portable_extension(${name}): expected a project of the language CUDA for ${source}, "
                "got none: enable_language(CUDA)")
        endif()
        get_filename_component(source ${source} ABSOLUTE)
        list(APPEND sources ${source})
    endforeach()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.portable)
    # The runtime library, too, is made by this compiler.
    set(command ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER}
        ${Python_EXECUTABLE} -m torchthaw.portable ${name} --folder ${folder})
    execute_process(COMMAND ${command} ${sources} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" lines "${printed}")
    foreach(kind compile nvcc link)
        set(${kind} ${lines})
        list(FILTER ${kind} INCLUDE REGEX "^${kind} ")
        list(TRANSFORM ${kind} REPLACE "^${kind} " "")
    endforeach()

    add_library(${name} MODULE ${sources})
    # Sources and headers may call other operators by the next build. What is unchanged is not written, nor compiled.
    set(given "$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>")
    add_custom_target(${name}_operators
        COMMAND ${command} --words compile "$<$<BOOL:${given}>:-I$<JOIN:${given},;-I>>" ${sources} > ${folder}.words
        COMMAND_EXPAND_LISTS VERBATIM)
    add_dependencies(${name} ${name}_operators)
    # Before the folders of the target, which may have PyTorch's own headers.
    target_compile_options(${name} BEFORE PRIVATE
        "$<$<COMPILE_LANGUAGE:C,CXX>:${compile}>" "$<$<COMPILE_LANGUAGE:CUDA>:${nvcc}>")
    target_link_libraries(${name} PRIVATE ${link})
    target_compile_features(${name} PRIVATE cxx_std_17)
    if(CMAKE_CUDA_COMPILER)
        target_compile_features(${name} PRIVATE cuda_std_17)
        target_include_directories(${name} PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})  # for C++ that calls CUDA
    endif()
    set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .abi3.so LINKER_LANGUAGE CXX)
endfunction()
