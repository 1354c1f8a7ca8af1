"""Sphinx's configuration: the site is made of the pages where they lie.

`./x site` runs it over the whole tree; what is a page is in `include_patterns`.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "spmd-tidy"
author = "the authors of spmd-tidy"
root_doc = "docs/index"
include_patterns = ["docs/**.md", "lint/checks/*.md", "CONTRIBUTING.md"]
extensions = ["myst_parser", "headers", "sphinx_copybutton"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

html_theme = "furo"
html_title = "spmd-tidy"
html_static_path = ["static"]
html_js_files = ["transitions.js"]
html_css_files = ["transitions.css"]
html_copy_source = False
pygments_style = "friendly"
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

LINK = re.compile(r"\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)")


def without_links_to_folders(app, page, source):
    """A folder of the repository has no page: its name stays, as text."""
    beside = (ROOT / app.env.doc2path(page, base=False)).parent

    def text(link):
        return link[1] if (beside / link[2]).is_dir() else link[0]

    source[0] = LINK.sub(text, source[0])


def setup(app):
    app.connect("source-read", without_links_to_folders)
