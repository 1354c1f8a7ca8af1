"""Writes programs of a size that no one writes by hand into a folder; a number
after the folder divides it."""

import pathlib
import sys

SHRINK = int(sys.argv[2])
HEAD = "#include <torch/torch.h>\nusing at::Tensor;\n"
P = '[[spmd::type("tp: P")]] const Tensor &x'


def long_function():
    lines = [f"Tensor f({P}, bool b) {{\n  Tensor y = x;"]
    for i in range(20000 // SHRINK):
        lines.append("  if (b) y = y + y; else y = y - x;" if i % 50 == 0 else
                     f"  Tensor t{i} = y + x;" if i % 2 else "  y += x;")
    return HEAD + "\n".join(lines) + "\n  return y.relu();\n}\n"


def nested_loops():
    depth = 60 // SHRINK
    loops = "\n".join(f"for (int i{i} = 0; i{i} < n; ++i{i}) {{ y = y + x;" for i in range(depth))
    return HEAD + f"Tensor f({P}, int n) {{\nTensor y = x;\n{loops}\n{'}' * depth}\nreturn y.relu();\n}}\n"


def long_expression():
    return HEAD + f"Tensor f({P}) {{\n  return ({' + '.join(['x'] * (5000 // SHRINK))}).relu();\n}}\n"


def deep_templates():
    return HEAD + f"""template <int N> Tensor f(const Tensor &x) {{ return f<N - 1>(x + x); }}
template <> Tensor f<0>(const Tensor &x) {{ return x.relu(); }}
Tensor g({P}) {{ return f<900>(x); }}
template <typename T> struct W {{ T t; }};
Tensor h([[spmd::type("tp: P")]] const {'W<' * 200}Tensor{'>' * 200} &x);
"""


def many_fields():
    fields = "\n".join(f'  [[spmd::type("tp: P")]] Tensor t{i};' for i in range(500 // SHRINK))
    adds = "\n".join(f"t{i} = t{i} + t{i};" for i in range(500 // SHRINK))
    calls = "\n".join(f"  void m{k}() {{ m{k - 1}(); m{k - 1}(); }}" for k in range(1, 40))
    return HEAD + f"struct S {{\n{fields}\n  void m0() {{\n{adds}\n}}\n{calls}\n}};\n"


def mutual_recursion():
    return HEAD + f"""Tensor b(const Tensor &x, int n);
Tensor a(const Tensor &x, int n) {{ return n ? b(x + x, n - 1) : x; }}
Tensor b(const Tensor &x, int n) {{ return n ? a(x, n - 1) : x.relu(); }}
Tensor c({P}) {{ return a(x, 4); }}
struct Node {{ Node *next; Tensor t; Tensor walk() {{ return next ? next->walk() + t : t; }} }};
Tensor d(Node &n, {P}) {{ n.next->t = x; return n.next->next->walk(); }}
"""


folder = pathlib.Path(sys.argv[1])
for make in (long_function, nested_loops, long_expression, deep_templates, many_fields,
             mutual_recursion):
    (folder / f"{make.__name__}.cpp").write_text(make())
