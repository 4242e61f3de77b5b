"""torchthaw/legacy/modernize/toml.py: writes tables of TOML."""

import json
import re


def table(name, values):
    """One table of TOML."""
    lines = [f"{_key(key)} = {_toml(value)}" for key, value in values.items()]
    return f"[{name}]\n" + "".join(f"{line}\n" for line in lines)


def _key(key):
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else _toml(key)


def _toml(value):
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items()) + " }"
    items = [_toml(each) for each in value]
    line = f"[{', '.join(items)}]"
    return line if len(line) < 100 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
