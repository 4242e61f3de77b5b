// c_api/thc/memory/scratch.h: memory for kernels' own use, kept from call to call.
#pragma once

namespace th {

void release_scratch();

}  // namespace th
