# cmake/sanitize.cmake: TORCHTHAW_SANITIZE, which also says that a build is for tests alone.
set(TORCHTHAW_SANITIZE OFF CACHE STRING
    "ON: AddressSanitizer and UndefinedBehaviorSanitizer in everything; thread: ThreadSanitizer; OFF: none")
set_property(CACHE TORCHTHAW_SANITIZE PROPERTY STRINGS OFF ON thread)

# -g1: the lines that reports name. All of -g takes a third longer to compile.
if(TORCHTHAW_SANITIZE STREQUAL "thread")
    # Programs bring LLVM's OpenMP, which our libraries then find in the process. With libarcher.so beside it,
    # ThreadSanitizer knows what a region waits for; of gcc's OpenMP it sees nothing. RPATH, not RUNPATH: there libomp
    # looks for libarcher, too.
    file(GLOB torchthaw_llvm LIST_DIRECTORIES true /usr/lib/llvm-*/lib /usr/lib64)
    list(SORT torchthaw_llvm COMPARE NATURAL ORDER DESCENDING)
    find_file(torchthaw_archer libarcher.so HINTS ${torchthaw_llvm} DOC "the tool of LLVM's OpenMP for ThreadSanitizer")
    get_filename_component(torchthaw_openmp_folder "${torchthaw_archer}" DIRECTORY)
    find_file(torchthaw_openmp libomp.so HINTS "${torchthaw_openmp_folder}" NO_DEFAULT_PATH DOC "LLVM's OpenMP")
    if(NOT torchthaw_archer OR NOT torchthaw_openmp)
        message(FATAL_ERROR "TORCHTHAW_SANITIZE=thread: expected libomp.so and libarcher.so of LLVM in one folder, got "
                            "'${torchthaw_openmp}' and '${torchthaw_archer}': apt-get install libomp-dev")
    endif()
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -O1 -g1)
    add_link_options(-fsanitize=thread)
    string(APPEND CMAKE_EXE_LINKER_FLAGS " -Wl,--push-state,--no-as-needed,${torchthaw_openmp},--pop-state"
        " -Wl,--disable-new-dtags,-rpath,${torchthaw_openmp_folder}")
elseif(TORCHTHAW_SANITIZE)
    add_compile_options(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
    add_link_options(-fsanitize=address,undefined)
endif()
if(TORCHTHAW_SANITIZE)
    add_compile_options(-UNDEBUG)  # Release, the default, leaves assert() out
endif()
