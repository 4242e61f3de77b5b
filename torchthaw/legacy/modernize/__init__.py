"""torchthaw/legacy/modernize: makes a package of today of a legacy project, in a folder of its own."""
