"""torchthaw/base/extras.py: packages that only a part of torchthaw needs; an extra of torchthaw installs them."""

import importlib


def require(package, extra):
    """Imports a package and returns it. Raises ImportError that names the extra where it is missing or broken."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        found = "none" if error.name == package else f"one that cannot be imported ({error})"
        how = f"pip install 'torchthaw[{extra}]' installs it"
        raise ImportError(f"expected the package {package}, found {found}; {how}", name=package) from None
