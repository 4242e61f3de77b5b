"""docs/_site/pictures.py: pictures of the built site, a search in it and its copy buttons, with a headless Chromium.

    python docs/_site/pictures.py [PAGE …]     after make docs; by default the front page, a guide, a table, the C reference

build/pictures/ gets each page in light and dark, on a wide screen and on a phone of 390 pixels. The search opens a file
and so needs no server; another page found first is an error, and so is a front page without a copy button for each command and program.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
SITE, PICTURES = ROOT / "build" / "site", ROOT / "build" / "pictures"
PAGES = "index.html", "port-an-old-project.html", "reference/projects.html", "reference/headers/my_lib.html"
SIZES = {"wide": "1400,1600", "phone": "390,1800"}
MODES = {"dark": "0", "light": "1"}
# What people search for, and the link that must be the first one found.
SEARCHES = {
    "my_lib_linear_backward_bf16": "reference/headers/my_lib.html#c.my_lib_linear_backward_bf16",
    "install": "index.html", "C++17 or later": "build-stops.html", "TH/TH.h": "build-stops.html", "THC.h": "build-stops.html",
}  # fmt: skip


def chromium(url, *options):
    """What a browser prints that opens a page of the site, with a profile of its own."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        sys.exit("chromium: expected a command, found none; it is in the Debian package chromium")
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--virtual-time-budget=8000", f"--user-data-dir={profile}", *options, f"file://{SITE}/{url}"]  # fmt: skip
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def main():
    if not (SITE / "index.html").exists():
        sys.exit(f"{SITE}: expected the site; run make docs")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for page in sys.argv[1:] or PAGES:
        for size, pixels in SIZES.items():
            for mode, number in MODES.items():
                picture = PICTURES / f"{Path(page).stem}-{size}-{mode}.png"
                chromium(page, f"--window-size={pixels}", f"--blink-settings=preferredColorScheme={number}",
                         f"--screenshot={picture}")  # fmt: skip
                print(picture.relative_to(ROOT))
    for query, wanted in SEARCHES.items():
        found = re.findall(r'<li[^>]*><a href="([^"?]*)', chromium(f"search.html?q={quote(query)}", "--dump-dom"))
        first = [link for link in found if "html" in link][:1]
        if not first or not first[0].startswith(wanted):
            sys.exit(f"search: {query}: expected {wanted} first, got {first}")
        print(f"search: {query} is found")
    buttons = chromium("index.html", "--dump-dom").count('class="copybtn')
    if buttons != 4:
        sys.exit(f"index.html: expected 4 copy buttons, for three of sh and one of python, got {buttons}")
    print("index.html: 4 copy buttons")


if __name__ == "__main__":
    main()
