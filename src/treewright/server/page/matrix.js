// The marginal matrix as a heat map: a row for each word, a column for each head it could have.

import * as known from "./constraints.js";
import { html, percent, svg } from "./dom.js";
import { nameOf } from "./tree.js";

export const name = "matrix";
export const title = "Probabilities";

const LEAST = 0.0005; // cells below this are left empty

export function make(root, page) {
  const note = html("p", { class: "hint" });
  const box = html("div", { class: "scroll heat" });
  const cell = html("p", { class: "cell", "aria-live": "polite" });
  root.append(note, cell, box);
  const cursor = { row: 1, column: 0 };

  function update() {
    const { sentence } = page;
    note.textContent = sentence.marginals
      ? "Each row is a word, each column a head: the stronger the colour, the more probable. A ring is the best tree. Click a cell to fix, forbid or free the arc."
      : "This model has no probabilities of arcs.";
    cell.textContent = "\u00a0";
    if (!sentence.marginals) return box.replaceChildren();
    const focused = box.contains(document.activeElement);
    box.replaceChildren(heatMap(page, box.clientWidth, cursor, (text) => (cell.textContent = text)));
    if (focused) box.firstChild.focus();
  }

  return { update };
}

function heatMap(page, room, cursor, tell) {
  const { sentence } = page;
  const n = sentence.words.length;
  const left = Math.min(Math.max(...sentence.words.map(({ form }) => form.length)) * 8 + 14, 150);
  const size = Math.floor(Math.min(Math.max((Math.min(room, 760) - left - 8) / (n + 1), 14), 40));
  const top = left;
  const shown = { x: (head) => left + head * size, y: (word) => top + (word - 1) * size };
  const ring = svg("rect", { class: "cursor", width: size, height: size, rx: 3 });
  const map = svg(
    "svg",
    {
      class: "matrix",
      width: left + (n + 1) * size + 8,
      height: top + n * size + 8,
      role: "application",
      tabindex: 0,
      "aria-label": "Probabilities of heads: arrow keys go from cell to cell, Enter fixes, forbids or frees an arc",
    },
    svg("rect", { class: "ground", x: left, y: top, width: (n + 1) * size, height: n * size }),
    headings(sentence, shown, size),
    cells(page, shown, size),
    ring,
  );
  cursor.row = Math.min(cursor.row, n);
  cursor.column = Math.min(cursor.column, n);
  const go = (row, column) => {
    Object.assign(cursor, { row: Math.min(Math.max(row, 1), n), column: Math.min(Math.max(column, 0), n) });
    ring.setAttribute("x", shown.x(cursor.column));
    ring.setAttribute("y", shown.y(cursor.row));
    tell(sayCell(sentence, cursor));
  };
  const change = () =>
    cursor.row !== cursor.column && page.constrain(known.cycled(page.constraints, cursor.column, cursor.row));
  go(cursor.row, cursor.column);
  map.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) go(cursor.row + step[0], cursor.column + step[1]);
    else if (event.key === "Enter" || event.key === " ") change();
    else return;
    event.preventDefault();
  });
  const at = (event) => {
    const bounds = map.getBoundingClientRect();
    return [
      Math.floor((event.clientY - bounds.top - top) / size) + 1,
      Math.floor((event.clientX - bounds.left - left) / size),
    ];
  };
  const inside = ([row, column]) => row >= 1 && row <= n && column >= 0 && column <= n;
  map.addEventListener("pointermove", (event) => inside(at(event)) && go(...at(event)));
  map.addEventListener("click", (event) => inside(at(event)) && (go(...at(event)), change()));
  return map;
}

function headings(sentence, shown, size) {
  const rows = sentence.words.map(({ id, form }) =>
    svg(
      "text",
      { class: "heading", x: shown.x(0) - 8, y: shown.y(id) + size / 2 + 4, "text-anchor": "end" },
      shortened(form),
    ),
  );
  const columns = [0, ...sentence.words.map(({ id }) => id)].map((id) => {
    const [x, y] = [shown.x(id) + size / 2 + 4, shown.y(1) - 8];
    const text = id ? shortened(sentence.words[id - 1].form) : "root";
    return svg("text", { class: id ? "heading" : "heading root", x, y, transform: `rotate(-90 ${x} ${y})` }, text);
  });
  return [...rows, ...columns];
}

function shortened(form) {
  return form.length > 16 ? `${form.slice(0, 15)}…` : form;
}

function cells({ sentence, constraints }, shown, size) {
  const drawn = [];
  sentence.marginals.forEach((row, i) => {
    row.forEach((p, head) => {
      const place = { x: shown.x(head) + 1, y: shown.y(i + 1) + 1, width: size - 2, height: size - 2, rx: 2 };
      if (head === i + 1) drawn.push(svg("rect", { class: "nowhere", ...place }));
      else if (p >= LEAST)
        drawn.push(svg("rect", { class: "heat", ...place, "fill-opacity": Math.sqrt(p).toFixed(3) }));
      const kind = ["required", "forbidden"].find((one) => known.has(constraints, one, [head, i + 1]));
      if (kind) drawn.push(svg("rect", { class: kind, ...place }));
      if (head === sentence.words[i].head)
        drawn.push(
          svg("circle", {
            class: p > 0.3 ? "chosen full" : "chosen",
            cx: shown.x(head) + size / 2,
            cy: shown.y(i + 1) + size / 2,
            r: size / 6,
          }),
        );
    });
  });
  return drawn;
}

function sayCell(sentence, { row, column }) {
  if (row === column) return `${nameOf(sentence, row)}: no word is its own head`;
  return `${nameOf(sentence, column)} → ${nameOf(sentence, row)}: ${percent(sentence.marginals[row - 1][column])}`;
}
