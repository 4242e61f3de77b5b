"""torchthaw/modernize/trials: calls the Functions of the old and the new project, in processes of their own.

``projects`` copies and builds both; ``child`` is what runs in them, with everything else of this package.
"""
