"""torchthaw/header: from a C header to a typed description of its functions, with what its annotations say."""
