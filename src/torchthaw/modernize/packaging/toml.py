"""torchthaw/modernize/packaging/toml.py: writes tables of TOML."""

import json
import re


def table(name, values):
    """One table of TOML."""
    lines = [f"{_key(key)} = {literal(value)}" for key, value in values.items()]
    return f"[{name}]\n" + "".join(f"{line}\n" for line in lines)


def _key(key):
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else literal(key)


def literal(value):
    """A value as TOML writes it: text, a truth value, a table in one line, or a list of these."""
    if isinstance(value, str):
        value = value.encode(errors="backslashreplace").decode()  # halves of surrogates are no text
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {literal(each)}" for key, each in value.items()) + " }"
    items = [literal(each) for each in value]
    line = f"[{', '.join(items)}]"
    return line if len(line) < 100 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
