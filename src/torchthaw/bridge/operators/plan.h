/* operators/plan.h: what a kernel does with each parameter of its C function; made once, for all calls. */
#pragma once

#include "bridge/call/call.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bridge {

/* Where the value of a parameter comes from. */
enum class From : char {
    TENSOR,   /* from PyTorch's stack */
    OPTIONAL, /* the same, but it may be None */
    LIST,     /* the same, integers for an array of sizes */
    NUMBER,   /* the same */
    SOURCE,   /* the shape of another parameter */
    NOWHERE,  /* an output that the kernel allocates */
    WORKSPACE,
    WORKSPACE_SIZE,
    STREAM
};

inline bool is_on_stack(From from) { return from <= From::NUMBER; }

/* A function of the operator: the operator's own one, or one for other elements. */
struct Variant {
    const thaw_callable *function;
    std::vector<int32_t> dtypes; /* by parameter, as PyTorch numbers them; ANY */

    enum { ANY = -1 };
};

struct Plan {
    std::string name;       /* of the operator, with its overload: "lltm_forward.out" */
    std::string remedy;     /* what to call where a derivative is wanted; may be empty */
    std::string types;      /* of its schema: "(Tensor, Optional[Tensor], List[int]) -> (Tensor)" */
    std::vector<From> from; /* by parameter */
    std::vector<Variant> variants;
    std::vector<int> choosing; /* parameters: the dtype of the first that is given chooses the variant */
    uint64_t inputs, outputs;  /* values that come and go on the stack */
    bool functional;           /* outputs are allocated, what is read and written is copied */
    bool on_cuda;
};

/* The plan of the operator that functions[index] stands for; NULL where a kernel cannot call it. */
std::unique_ptr<Plan> make_plan(const std::vector<thaw_callable> &functions, size_t index, bool functional,
                                bool on_cuda);

}  // namespace bridge
