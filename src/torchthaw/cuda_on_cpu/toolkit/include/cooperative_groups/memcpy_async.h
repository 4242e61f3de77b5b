/* cooperative_groups/memcpy_async.h: copies by all threads of a group, which are done when they return. */
#ifndef CUDA_ON_CPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define CUDA_ON_CPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include <cooperative_groups.h>

namespace cooperative_groups {

/* Each thread copies some of the bytes. wait() is needed before the group reads them. */
template <typename Group, typename Size>
void memcpy_async(const Group &group, void *to, const void *from, const Size &bytes) {
    for (size_t i = group.thread_rank(); i < size_t(bytes); i += group.size())
        static_cast<char *>(to)[i] = static_cast<const char *>(from)[i];
}
/* Elements: as many as the smaller of both numbers. */
template <typename Group, typename T, typename ToSize, typename FromSize>
void memcpy_async(const Group &group, T *to, const ToSize &to_size, const T *from, const FromSize &from_size) {
    const size_t n = size_t(to_size) < size_t(from_size) ? size_t(to_size) : size_t(from_size);
    for (size_t i = group.thread_rank(); i < n; i += group.size()) to[i] = from[i];
}
template <typename Group> void wait(const Group &group) { group.sync(); }
template <unsigned N, typename Group> void wait_prior(const Group &group) { group.sync(); }

}  // namespace cooperative_groups

#endif
