// c_api/th/compat.h: which version's numbers to reproduce.
#pragma once

namespace th {

// TH_COMPAT=7 in the environment: Torch7's and PyTorch 0.1.12-0.2's, where they differ from 0.3 without a different
// prototype. Read once.
bool torch7();

}  // namespace th
