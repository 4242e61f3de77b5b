// cuda_on_cpu/runtime/checks/whole_file.h: a file that no reader sees a half of.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace cuda_on_cpu {

// Makes the folder if it is not there, and the file by write(FILE *), under another name first. False with errno else.
template <typename Write> bool write_whole(const std::string &folder, const std::string &path, Write write) {
    const std::string other = path + ".new";
    if (mkdir(folder.c_str(), 0777) && errno != EEXIST) return false;
    std::FILE *file = std::fopen(other.c_str(), "wb");
    if (!file) return false;
    write(file);
    const bool failed = std::ferror(file);
    return !std::fclose(file) && !failed && !std::rename(other.c_str(), path.c_str());
}

}  // namespace cuda_on_cpu
