"""torchthaw/base: what every other folder may use: where files are, which compilers there are, errors."""
