// The constituents of the sentence beside its dependencies. A constituent is a button: click it to make its words a
// subtree of the dependency tree, where both have the same words.

import { latest } from "./api.js";
import * as known from "./constraints.js";
import { fitted, html, percent, svg } from "./dom.js";
import { draw } from "./tree.js";

export const name = "constituents";
export const title = "Constituents";

const ROW = 34;
const GAP = 16;
const LEAST = 0.65; // of their size, to which trees are made smaller so that they stand side by side

export function make(root, page) {
  const ask = latest();
  const note = html("p", { class: "hint" });
  const box = html("div", { class: "scroll phrases" });
  const beside = html("div", { class: "scroll small" });
  root.append(note, html("div", { class: "beside" }, box, beside));

  async function update() {
    const { sentence } = page;
    const parser = page.models.find(({ trees }) => trees === "constituents");
    if (!parser) {
      note.textContent = "No parser of constituents is served: start treewright serve with en-constituents as well.";
      return;
    }
    try {
      const answer = await ask("/api/constituents", { text: sentence.text, lines: true });
      if (answer?.sentences[0] && page.sentence === sentence) show(answer.sentences[0], sentence);
    } catch (error) {
      box.replaceChildren();
      note.textContent = error.message;
    }
  }

  function show(found, sentence) {
    const leaves = leavesOf(found.tree);
    const aligned =
      leaves.length === sentence.words.length && leaves.every(({ word }, i) => word === sentence.words[i].form);
    note.textContent = [
      found.tree_p !== undefined && `Tree ${percent(found.tree_p)} probable.`,
      aligned
        ? "Click a constituent to make its words a subtree of the dependency tree."
        : "The two parsers cut this sentence into words differently.",
    ]
      .filter(Boolean)
      .join(" ");
    const constrain = (first, last) => {
      const change = known.has(page.constraints, "spans", [first, last]) ? known.without : known.including;
      page.constrain(change(page.constraints, "spans", [first, last]));
    };
    const phrases = drawPhrases(box, found, aligned ? constrain : null, page.constraints.spans);
    box.replaceChildren(phrases);
    fitted(phrases, box.clientWidth, LEAST);
    const given = { still: true, label: "Dependencies" };
    const whole = draw(beside, sentence, { ...given, width: Infinity }).svg;
    if (!fitted(whole, beside.clientWidth, LEAST)) draw(beside, sentence, given);
  }

  return { update };
}

function leavesOf(node) {
  return node.children ? node.children.flatMap(leavesOf) : [node];
}

/** Draw constituents over their words: leaves in a row, each node above the middle of its children. */
function drawPhrases(box, { tree, text }, constrain, spans) {
  const measure = measurer(box);
  let x = 4;
  const nodes = [];
  const place = (node, parent) => {
    const one = { node, parent, first: nodes.leaves ?? 0 };
    nodes.push(one);
    if (node.children) {
      const children = node.children.map((child) => place(child, one));
      one.level = 1 + Math.max(...children.map(({ level }) => level));
      one.x = (children[0].x + children.at(-1).x) / 2;
    } else {
      const width = Math.max(measure(node.word), measure(node.label) * 0.75);
      nodes.leaves = (nodes.leaves ?? 0) + 1;
      Object.assign(one, { level: 0, x: x + width / 2 });
      x += width + GAP;
    }
    one.last = nodes.leaves;
    return one;
  };
  const top = place(tree, null);
  const y = (level) => (top.level - level) * ROW + 16;
  const foot = y(0) + 22;
  return svg(
    "svg",
    {
      class: "phrases",
      role: "group",
      "aria-label": `Constituents of “${text}”`,
      width: x - GAP + 8,
      height: foot + 12,
      viewBox: `0 0 ${x - GAP + 8} ${foot + 12}`,
    },
    nodes
      .filter(({ parent }) => parent)
      .map((one) =>
        svg("path", { class: "branch", d: branch(one.parent.x, y(one.parent.level) + 5, one.x, y(one.level) - 13) }),
      ),
    nodes.map((one) => nodeGroup(one, y(one.level), constrain, spans)),
  );
}

/** From a parent down, along and, round a corner, down to its child. */
function branch(x, y, childX, childY) {
  const bend = Math.min(9, Math.abs(childX - x));
  return `M${x} ${y}V${y + 5}H${childX - Math.sign(childX - x) * bend}Q${childX} ${y + 5} ${childX} ${y + 5 + bend}V${childY}`;
}

function nodeGroup({ node, x, first, last }, y, constrain, spans) {
  const span = [first + 1, last];
  const words = leavesOf(node)
    .map(({ word }) => word)
    .join(" ");
  const label = svg("text", { class: node.children ? "phrase" : "tag", x, y, "text-anchor": "middle" }, node.label);
  if (!node.children)
    return svg("g", {}, label, svg("text", { class: "form", x, y: y + 20, "text-anchor": "middle" }, node.word));
  const on = spans.some(([a, b]) => a === span[0] && b === span[1]);
  const back = svg("rect", {
    class: "back",
    x: x - 7 - node.label.length * 4.5,
    y: y - 14,
    width: 14 + node.label.length * 9,
    height: 20,
    rx: 4,
  });
  if (!constrain) return svg("g", {}, back, label);
  const act = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    constrain(...span);
  };
  const given = {
    class: on ? "node on" : "node",
    role: "button",
    tabindex: 0,
    "aria-pressed": String(on),
    "aria-label": `${node.label}: ${words}`,
    click: act,
    keydown: act,
  };
  return svg("g", given, svg("title", {}, words), back, label);
}

function measurer(box) {
  const probe = svg("text", { class: "form" });
  const group = svg("svg", { class: "phrases" }, probe);
  box.append(group);
  const { fontSize, fontFamily } = getComputedStyle(probe);
  group.remove();
  const context = document.createElement("canvas").getContext("2d");
  context.font = `${fontSize} ${fontFamily}`;
  return (text) => context.measureText(text).width;
}
