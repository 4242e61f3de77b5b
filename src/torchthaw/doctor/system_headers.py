"""torchthaw/doctor/system_headers.py: headers that a project includes and neither has nor finds, and who has them.

Packages of Debian 13, as its list of contents has them; Ubuntu has the same names.
"""

import os
import sys
from pathlib import Path

from ..legacy.cpp import cuda_sources
from .project import INCLUDE
from .rules import CHECK

# A header, or the folder that its name begins with -> the package.
PACKAGES = {
    "CGAL/": "libcgal-dev", "EGL/": "libegl-dev", "Eigen/": "libeigen3-dev", "unsupported/Eigen/": "libeigen3-dev",
    "GL/gl.h": "libgl-dev", "GL/glew.h": "libglew-dev", "GL/glut.h": "libglut-dev", "GLFW/": "libglfw3-dev",
    "OpenEXR/": "libopenexr-dev", "absl/": "libabsl-dev", "alsa/": "libasound2-dev", "assimp/": "libassimp-dev",
    "blosc.h": "libblosc-dev", "boost/": "libboost-dev", "ceres/": "libceres-dev", "embree4/": "libembree-dev",
    "fftw3.h": "libfftw3-dev", "flann/": "libflann-dev", "fmt/": "libfmt-dev", "gflags/": "libgflags-dev",
    "glm/": "libglm-dev", "glog/": "libgoogle-glog-dev", "gmp.h": "libgmp-dev", "google/dense_hash_map": "libsparsehash-dev",
    "google/dense_hash_set": "libsparsehash-dev", "google/protobuf/": "libprotobuf-dev",
    "google/sparse_hash_map": "libsparsehash-dev", "google/sparse_hash_set": "libsparsehash-dev", "hdf5.h": "libhdf5-dev",
    "jpeglib.h": "libjpeg-dev", "lapacke.h": "liblapacke-dev", "libavcodec/": "libavcodec-dev",
    "libavformat/": "libavformat-dev", "libavutil/": "libavutil-dev", "libswresample/": "libswresample-dev",
    "libswscale/": "libswscale-dev", "lmdb.h": "liblmdb-dev", "lz4.h": "liblz4-dev", "metis.h": "libmetis-dev",
    "mpi.h": "libopenmpi-dev", "nanoflann.hpp": "libnanoflann-dev", "nlohmann/": "nlohmann-json3-dev",
    "numa.h": "libnuma-dev", "opencv2/": "libopencv-dev", "openvdb/": "libopenvdb-dev", "pcl/": "libpcl-dev",
    "png.h": "libpng-dev", "rapidjson/": "rapidjson-dev", "re2/": "libre2-dev", "snappy.h": "libsnappy-dev",
    "sndfile.h": "libsndfile1-dev", "sox.h": "libsox-dev", "sparsehash/": "libsparsehash-dev", "spdlog/": "libspdlog-dev",
    "sqlite3.h": "libsqlite3-dev", "tbb/": "libtbb-dev", "tiffio.h": "libtiff-dev", "tinyxml2.h": "libtinyxml2-dev",
    "turbojpeg.h": "libturbojpeg0-dev", "webp/": "libwebp-dev", "xtensor/": "libxtensor-dev", "yaml-cpp/": "libyaml-cpp-dev",
    "zlib.h": "zlib1g-dev", "zstd.h": "libzstd-dev",
}  # fmt: skip
VARIABLES = "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"
FOLDERS = "/usr/local/include", "/usr/include"
# Below these, where packages put them.
BELOW = "", "eigen3", "opencv4", "hdf5/serial"


def package(name):
    """The package that has a header; None for one that PACKAGES does not list."""
    found = (each for each in PACKAGES if name == each or each.endswith("/") and name.startswith(each))
    return PACKAGES.get(next(found, ""))


def folders():
    """Where compilers of this machine find headers of libraries."""
    given = [folder for name in VARIABLES for folder in os.environ.get(name, "").split(os.pathsep) if folder]
    own = os.path.join(sys.prefix, "include")  # conda's libraries
    return [Path(folder, below) for folder in [*given, own, *FOLDERS] for below in BELOW] + [
        path for folder in FOLDERS for path in Path(folder).glob("*-linux-gnu")
    ]


def examine(report, project, file):
    """Adds a finding for each header that the project has nowhere, and this machine neither."""
    code, searched = cuda_sources.without_comments(project.texts[file]), None
    for match in INCLUDE.finditer(code):
        name = match[1]
        needed = package(name)
        if not needed or cuda_sources.is_optional(code, match.start()):
            continue
        searched = searched or [*_folders_of(project), *folders()]
        if not any(os.path.exists(folder / name) for folder in searched):
            line = code.count("\n", 0, match.start()) + 1
            message = f"{name} is neither in the project nor on this machine; on Debian and Ubuntu the package {needed} has it"
            report.add(line, CHECK, "system-header", message)


def _folders_of(project):
    """The folders of its files, and those above them: a header without a suffix is no file that the doctor reads."""
    above = len(project.root.parts)
    return {folder for file in project.files for folder in file.parents if len(folder.parts) >= above}
