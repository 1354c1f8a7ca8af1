"""The directive `header`: what a public header says, from Doxygen's XML.

Breathe takes each namespace for one declaration and warns for every header that opens it, so
declarations are shown as code here, with what stands above them.
"""

import pathlib
import re
import xml.etree.ElementTree as xml

from docutils import nodes
from docutils.parsers.rst import Directive

TEXT = {"ref", "computeroutput", "emphasis", "bold", "nonbreakablespace", "sp"}
KINDS = {"function", "typedef", "enum", "variable", "define"}


def text_of(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


def described(element):
    """What stands above a declaration, as paragraphs and literal blocks."""
    for part in element if element is not None else []:
        words = part.text or ""
        for child in part:
            if child.tag in ("verbatim", "programlisting", "preformatted"):
                if words.strip():
                    yield nodes.paragraph(text=re.sub(r"\s+", " ", words).strip())
                block = "\n".join(filter(None, "".join(child.itertext()).split("\n"))) + "\n"
                yield nodes.literal_block(block, block, language="text")
                words = child.tail or ""
            else:
                words += "".join(child.itertext()) + (child.tail or "")
        if words.strip():
            yield nodes.paragraph(text=re.sub(r"\s+", " ", words).strip())


def declaration_of(member):
    name = text_of(member.find("name"))
    kind = member.get("kind")
    if kind == "define":
        parameters = [text_of(p) for p in member.findall("param")]
        return f"#define {name}" + (f"({', '.join(parameters)})" if parameters else "")
    if kind == "enum":
        return f"enum {name} {{ {', '.join(text_of(v.find('name')) for v in member.findall('enumvalue'))} }}"
    parameters = [text_of(p) for p in member.findall("templateparamlist/param")]
    template = f"template <{', '.join(parameters)}>\n" if parameters else ""
    return template + text_of(member.find("definition")) + text_of(member.find("argsstring")) + ";"


class Header(Directive):
    required_arguments = 1
    folder = None  # where Doxygen's XML lies

    def run(self):
        mangled = self.arguments[0].replace("_", "__").replace(".", "_8")
        file = xml.parse(self.folder / f"{mangled}.xml").getroot().find("compounddef")
        shown = [*self.classes(file)]
        spaces = [xml.parse(self.folder / f"{n.get('refid')}.xml").getroot().find("compounddef")
                  for n in file.findall("innernamespace") if "detail" not in (n.text or "")]
        for where in (file, *spaces):
            for member in where.iter("memberdef"):
                place = member.find("location").get("file")
                if member.get("kind") in KINDS and place.endswith("/" + self.arguments[0]):
                    shown += self.entry(declaration_of(member), member)
        return shown

    def classes(self, file):
        for inner in file.findall("innerclass"):
            if inner.get("prot", "public") == "public" and "detail" not in inner.text:
                kind = xml.parse(self.folder / f"{inner.get('refid')}.xml").getroot().find("compounddef")
                public = [m for section in kind.findall("sectiondef") if section.get("kind").startswith("public")
                          for m in section.findall("memberdef")]
                yield from self.entry(f"{kind.get('kind')} {inner.text};", kind)
                below = [e for m in public for e in self.entry(declaration_of(m), m)]
                if below:
                    quote = nodes.block_quote()
                    quote += below
                    yield quote

    def entry(self, declaration, element):
        words = [*described(element.find("briefdescription")), *described(element.find("detaileddescription"))]
        # Undocumented: what nobody says anything of is not for readers.
        if not words:
            return []
        return [nodes.literal_block(declaration, declaration, language="cpp"), *words]


def set_folder(app, config):
    Header.folder = pathlib.Path(config.header_folder)


def setup(app):
    app.add_config_value("header_folder", "", "env")
    app.connect("config-inited", set_folder)
    app.add_directive("header", Header)
    return {"parallel_read_safe": True}
