#!/usr/bin/env python3
"""Builds the manual as a site, in build/site: Doxygen reads the runtime's headers, Sphinx the pages.

Nothing is fetched. A warning, such as a link that leads nowhere, is an error.
"""

import argparse
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    build = parser.parse_args().build.resolve()
    headers = build / "doxygen"
    headers.mkdir(parents=True, exist_ok=True)
    settings = (SOURCE / "docs/site/Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {headers}\n"
    if subprocess.run(["doxygen", "-"], cwd=SOURCE, input=settings, text=True).returncode:
        sys.exit("Doxygen could not read the headers")
    site = build / "site"
    run = subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-c", SOURCE / "docs/site",
                          "-d", build / "doctrees", "-D", f"header_folder={headers}/xml",
                          SOURCE, site])
    if run.returncode:
        sys.exit("Sphinx has found fault with the pages")
    (site / "index.html").write_text('<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html">\n')


if __name__ == "__main__":
    main()
