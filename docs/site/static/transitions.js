// The table of operators, to try out: which one takes a source type to a
// destination type, which chain does where that one is for experts, and what
// backward runs. It reads the generated table of the page; there is no second list.
"use strict";

(function () {
  const ROW = /^(\w+)\((\w) -> (\w)\)$/;
  const WORDS = {
    R: "R, replicate: the same on all ranks, gradients are parts",
    I: "I, invariant: the same on all ranks, and so are the gradients",
    V: "V, varying or S(i): every rank has its own",
    P: "P, partial: terms of a sum that is still to be done",
  };

  function rowsOf(table) {
    return [...table.tBodies[0].rows].map((row) => {
      const [forward, backward, note] = [...row.cells].map((cell) => cell.textContent.trim());
      const [, operator, from, to] = ROW.exec(forward);
      return { operator, from, to, backward, expert: note === "expert", row };
    });
  }

  function moves(row) {
    return /^(all_|reduce_)/.test(row.operator);
  }

  /// The cheapest chain of operators: few collectives first, then few operators.
  function chain(rows, from, to) {
    let reached = [{ at: from, path: [] }];
    const cost = (path) => path.filter(moves).length * 10 + path.length;
    const best = {};
    while (reached.length) {
      const next = [];
      for (const { at, path } of reached)
        for (const row of rows)
          if (row.from === at && row.to !== at && !row.expert && path.length < 3) {
            const longer = [...path, row];
            if (!best[row.to] || cost(longer) < cost(best[row.to])) {
              best[row.to] = longer;
              next.push({ at: row.to, path: longer });
            }
          }
      reached = next;
    }
    return best[to];
  }

  function line(parent, text, className) {
    const p = document.createElement("p");
    p.textContent = text;
    if (className) p.className = className;
    parent.append(p);
  }

  function describe(row) {
    const how = moves(row) ? "communicates" : "moves nothing";
    const rare = row.expert ? "; right, but almost never meant in forward code: needs spmd::expert" : "";
    return `${row.operator}(x, axis, ${row.from}, ${row.to}): forward ${how}; backward ${row.backward}${rare}`;
  }

  function answer(rows, from, to, result) {
    result.textContent = "";
    const direct = rows.filter((row) => row.from === from && row.to === to);
    for (const row of direct) line(result, describe(row), row.expert ? "expert" : "operator");
    if (from === to) return line(result, "It is that already: no operator is needed.", "none");
    if (direct.some((row) => !row.expert)) return;
    line(result, "What is meant is mostly the chain:", "none");
    for (const row of chain(rows, from, to)) line(result, describe(row), "operator");
  }

  function choice(label, name, chosen, changed) {
    const select = document.createElement("select");
    select.name = name;
    for (const type of Object.keys(WORDS)) select.add(new Option(WORDS[type], type, false, type === chosen));
    select.addEventListener("change", changed);
    const wrapped = document.createElement("label");
    wrapped.append(label, select);
    return { wrapped, select };
  }

  function build(table) {
    const rows = rowsOf(table);
    const asked = /^#transition=([RIVP]),([RIVP])$/.exec(location.hash) || [null, "P", "R"];
    const box = document.createElement("div");
    box.id = "transition-table";
    const result = document.createElement("div");
    result.className = "result";
    result.setAttribute("aria-live", "polite");
    const update = () => {
      answer(rows, from.select.value, to.select.value, result);
      for (const row of rows)
        row.row.classList.toggle("chosen", row.from === from.select.value && row.to === to.select.value);
    };
    const from = choice("I have ", "from", asked[1], update);
    const to = choice("I want ", "to", asked[2], update);
    box.append(from.wrapped, to.wrapped, result);
    table.before(box);
    update();
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const table of document.querySelectorAll("table"))
      if (table.tHead && table.tHead.textContent.includes("forward") && ROW.test(table.rows[1].cells[0].textContent.trim()))
        build(table);
  });
})();
