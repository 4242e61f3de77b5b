"""torchthaw/cuda_on_cpu/translation/spins.py: loops that wait for another thread by reading memory of it again and again.

A card runs all threads at once; here such a loop must let the others run. It is known by the word volatile, or by a name
that was declared with it, in the loop's head or close to it.
"""

import re

WAIT = "::cuda_on_cpu::may_wait()"
NEAR = 500  # characters of a body that are looked at
_HEAD = 2000  # of a head
_DECLARED = re.compile(r"\bvolatile\b[^;{}()=\n]{0,100}?[\s*&](\w+)\s*(?=[;,)=\[])")
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|[()\[\]{};]')
_DECLARATION = re.compile(r"\s*(?:const\b\s*)?[A-Za-z_][\w:<>,\s]*[\s*&]+\w+\s*(?:=[^=]|\{)")
_SYSTEM = re.compile(r'^# \d+ "(?:[^"\\]|\\.)*"((?: \d)*)', re.M)


class Spins:
    """The loops of one text."""

    def __init__(self, text):
        self.text = text
        self._system = [(mark.start(), " 3" in mark[1]) for mark in _SYSTEM.finditer(text)]
        self._at = 0  # in the list before
        names = {match[1] for match in _DECLARED.finditer(text)} if "volatile" in text else set()
        self._words = re.compile(r"\b(?:volatile|" + "|".join(sorted(names)) + r")\b") if names else None
        if "volatile" in text and not names:
            self._words = re.compile(r"\bvolatile\b")

    def edits(self, mark):
        """What is to be inserted for the loop whose word is at ``mark``; marks come in the order of the text."""
        if self._words is None or self._is_system(mark.start()):
            return []
        head = self._head(mark.end())
        if head is None:
            return []
        opening, semicolons, end = head
        if mark["loop"] == "while":
            return self._while(mark.start(), opening + 1, end)
        if len(semicolons) != 2:
            return []
        start, stop = semicolons[0] + 1, semicolons[1]
        if not self.text[start:stop].strip():
            return [(stop, stop, f" {WAIT}")] if self._reads(start, end + NEAR) else []
        return self._condition(start, stop) if self._reads(start, stop) else []

    def _while(self, at, start, end):
        behind = self.text[end + 1 : end + NEAR].lstrip()[:1]
        of_do = behind == ";" and self.text[max(0, at - NEAR) : at].rstrip()[-1:] == "}"
        if self._reads(start, end + NEAR) or of_do and self._reads(at - NEAR, at):
            return self._condition(start, end)
        return []

    def _condition(self, start, end):
        if _DECLARATION.match(self.text, start, end):
            return []
        return [(start, start, f"{WAIT} && ("), (end, end, ")")]

    def _reads(self, start, end):
        return self._words.search(self.text, max(0, start), end) is not None

    def _head(self, at):
        """(opening bracket, semicolons in it, closing bracket) behind a loop's word."""
        opening = re.compile(r"\s*").match(self.text, at).end()
        if self.text[opening : opening + 1] != "(":
            return None
        depth, semicolons = 0, []
        for token in _TOKEN.finditer(self.text, opening, opening + _HEAD):
            if token[0] in "([{":
                depth += 1
            elif token[0] in ")]}":
                depth -= 1
                if not depth:
                    return opening, semicolons, token.start()
            elif token[0] == ";" and depth == 1:
                semicolons.append(token.start())
        return None

    def _is_system(self, position):
        """Whether the text there is a system's header."""
        while self._at < len(self._system) and self._system[self._at][0] <= position:
            self._at += 1
        return self._at > 0 and self._system[self._at - 1][1]
