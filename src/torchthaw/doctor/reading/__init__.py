"""torchthaw/doctor/reading: files of a project as text, as trees of Python, and as what a build says of them. It has no rules."""
