#!/usr/bin/env python3
"""Builds the manual's site and looks at it: no page outside it, no link to nowhere, and the
table of operators in a browser, if Debian's chromium is installed."""

import argparse
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = argparse.Namespace(site=None)


class Links(html.parser.HTMLParser):
    """What a page links to, and the names that others can link to."""

    def __init__(self, page):
        super().__init__()
        self.targets, self.names = [], set()
        self.feed(page.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        for key in ("href", "src"):
            if attributes.get(key):
                self.targets.append(attributes[key])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = sorted(p for p in OPTIONS.site.rglob("*.html") if "_static" not in p.parts)
        cls.links = {page: Links(page) for page in cls.pages}

    def test_every_page_of_the_manual_is_in_it(self):
        for source in [*(ROOT / "docs").rglob("*.md"), *(ROOT / "lint/checks").glob("*.md")]:
            built = OPTIONS.site / source.relative_to(ROOT).with_suffix(".html")
            self.assertTrue(built.is_file(), built)

    def test_no_link_leads_nowhere(self):
        for page, links in self.links.items():
            for target in links.targets:
                parts = urllib.parse.urlsplit(target)
                if parts.scheme or parts.netloc:
                    continue
                path = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
                self.assertTrue(path.exists(), f"{page}: {target}")
                if parts.fragment and path in self.links:
                    self.assertIn(urllib.parse.unquote(parts.fragment), self.links[path].names | {""},
                                  f"{page}: {target}")

    def test_nothing_is_fetched_from_elsewhere(self):
        for page in self.pages:
            text = page.read_text()
            for tag in re.findall(r"<(?:script|link|img)\b[^>]*>", text):
                self.assertNotRegex(tag, r"(?:src|href)=\"(?:https?:)?//", page)

    def test_the_reference_has_the_operators(self):
        text = (OPTIONS.site / "docs/runtime-reference.html").read_text()
        text = re.sub(r"<[^>]*>", "", text)
        for name in ["spmd::all_reduce(", "spmd::reduce_scatter(", "spmd::redistribute(", "spmd::out_partial(",
                     "class spmd::Mesh;", "spmd::nccl_backend("]:
            self.assertTrue(name in text, name)

    def answer(self, hash):
        """What the table of operators says, as a browser shows it."""
        browser = shutil.which("chromium")
        if not browser:
            self.skipTest("chromium is not installed")
        page = (OPTIONS.site / "docs/rules.html").as_uri() + hash
        dom = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                              "--disable-background-networking", "--virtual-time-budget=5000",
                              "--dump-dom", page], capture_output=True, text=True, timeout=120).stdout
        found = re.search(r'<div class="result"[^>]*>(.*?)</div>', dom, re.S)
        self.assertTrue(found, "the page has no table to try out")
        return re.findall(r'<p class="(\w+)">(.*?)</p>', found[1])

    def test_one_operator(self):
        self.assertEqual(self.answer("#transition=I,R"), [
            ("operator", "reinterpret(x, axis, I, R): forward moves nothing; backward all_reduce(P -&gt; I)")])

    def test_a_chain_where_the_operator_is_for_experts(self):
        self.assertEqual([kind for kind, _ in self.answer("#transition=I,P")],
                         ["expert", "none", "operator", "operator"])

    def test_the_same_type(self):
        self.assertEqual([kind for kind, _ in self.answer("#transition=P,P")], ["none"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    options, rest = parser.parse_known_args()
    OPTIONS.site = options.build.resolve() / "site"
    if subprocess.run([sys.executable, ROOT / "docs/site/build.py", "--build", options.build]).returncode:
        sys.exit("the site does not build")
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
