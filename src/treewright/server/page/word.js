// One word: the other heads that it could have, with their probabilities, and ways to choose.

import * as known from "./constraints.js";
import { html, percent } from "./dom.js";
import { nameOf } from "./tree.js";

export const name = "word";
export const title = "Word";

const LEAST = 0.002; // of the probabilities that are shown
const MOST = 6; // heads that are shown

/** The heads that a word could have, most probable first: {head, label, p, also}, with other relations to that head. */
export function headsOf(sentence, id) {
  const word = sentence.words[id - 1];
  const row = sentence.marginals?.[id - 1] ?? [];
  const best = { head: word.head, label: word.deprel ?? "", p: word.head_p, also: [] };
  const others = new Map();
  for (const { head, deprel, p } of word.alternatives ?? []) {
    const known = head === word.head ? best : others.get(head);
    if (known) known.also.push({ label: deprel, p });
    else others.set(head, { head, label: deprel, p: row[head] ?? p, also: [] });
  }
  for (const [head, p] of row.entries()) {
    const isNew = head !== word.head && head !== id && !others.has(head);
    if (isNew && p >= LEAST) others.set(head, { head, label: "", p, also: [] });
  }
  return [best, ...[...others.values()].sort((a, b) => b.p - a.p)].slice(0, MOST);
}

/** Draw the other heads of what is pointed at below the words; of the chosen word, if nothing is. */
export function below(target, page) {
  const id = target ? (target.word ?? target.arc.word) : page.selected;
  const { sentence, drawing } = page;
  if (!sentence || !drawing) return;
  const others = id && id <= sentence.words.length ? headsOf(sentence, id).slice(1, 4) : [];
  drawing.showBelow(
    others.filter(({ head, p }) => head !== 0 && p >= 0.01).map(({ head, label, p }) => ({ head, word: id, label, p })),
  );
}

export function make(root, page) {
  const shown = { id: null };
  const show = (target) => {
    below(target, page);
    const id = target ? (target.word ?? target.arc.word) : page.selected;
    if (target === null && !page.selected && shown.id) return; // what was pointed at last stays: hands may go there
    shown.id = id;
    fill(root, page, id);
  };
  return {
    update() {
      const id = page.selected ?? shown.id;
      shown.id = id && id <= page.sentence.words.length ? id : null;
      fill(root, page, shown.id);
      below(null, page);
    },
    hover: show,
  };
}

function fill(root, page, id) {
  const inside = root.contains(document.activeElement) ? document.activeElement.dataset.choice : undefined;
  root.replaceChildren(...(id ? [about(page, id), heads(page, id), choices(page, id)] : [hint()]));
  if (inside) root.querySelector(`[data-choice="${CSS.escape(inside)}"]`)?.focus();
}

function hint() {
  return html(
    "p",
    { class: "hint" },
    "Point at a word to see what else its head could be. Click an arc to fix it, again to forbid it, and once more to " +
      "let it go. Drag from a head to a word to require an arc; hold Shift to make words a subtree.",
  );
}

function about(page, id) {
  const word = page.sentence.words[id - 1];
  const tag = [word.upos, word.tag_p !== undefined && percent(word.tag_p)].filter(Boolean).join(" ");
  return html(
    "div",
    { class: "about" },
    html("h2", { dir: "auto" }, word.form),
    html("p", {}, [word.lemma && `lemma ${word.lemma}`, tag, word.xpos].filter(Boolean).join(" · ")),
    word.feats && html("p", { class: "feats" }, word.feats.replaceAll("|", " ")),
  );
}

function heads(page, id) {
  const rows = headsOf(page.sentence, id).map((one, number) => {
    const bar = html("span", { class: "bar" });
    bar.style.setProperty("--p", one.p ?? 0);
    return html(
      "tr",
      { class: number === 0 && "best" },
      html("th", { scope: "row" }, nameOf(page.sentence, one.head)),
      html("td", { class: "relation" }, one.label, also(one.also)),
      html("td", { class: "chance" }, one.p === undefined ? null : bar, html("span", {}, percent(one.p))),
      html(
        "td",
        {},
        toggle(page, "required", [one.head, id], "fix"),
        toggle(page, "forbidden", [one.head, id], "forbid"),
      ),
    );
  });
  return html("table", { class: "heads" }, html("caption", {}, "Heads it could have"), html("tbody", {}, rows));
}

/** Other relations to the same head. */
function also(relations) {
  return relations.length
    ? html("small", {}, ` or ${relations.map(({ label, p }) => `${label} ${percent(p)}`).join(", ")}`)
    : null;
}

/** A button that is down while a constraint holds. */
function toggle(page, kind, arc, verb) {
  const on = known.has(page.constraints, kind, arc);
  const change = () => page.constrain((on ? known.without : known.including)(page.constraints, kind, arc));
  const label = `${verb}: ${nameOf(page.sentence, arc[0])} as the head of ${nameOf(page.sentence, arc[1])}`;
  const given = {
    type: "button",
    class: "toggle",
    "aria-pressed": String(on),
    "aria-label": label,
    click: change,
    "data-choice": `${kind} ${arc}`,
  };
  return html("button", given, verb);
}

/** Choices of a head, a relation and a subtree, among all there are. */
function choices(page, id) {
  const { sentence, constraints } = page;
  const word = sentence.words[id - 1];
  const others = [0, ...sentence.words.map((one) => one.id)].filter((head) => head !== id);
  const required = constraints.required.find(([, one]) => one === id)?.[0];
  const relation = constraints.labels.find(([head, one]) => head === null && one === id)?.[2];
  const ends = sentence.words.map((one) => one.id);
  const change = (kind, value) => page.constrain(known.including(constraints, kind, value));
  const free = (kind, value) => page.constrain(known.without(constraints, kind, value));
  const head = picker(
    "Head",
    required,
    others.map((one) => [one, one ? `${one} ${nameOf(sentence, one)}` : "the root"]),
    (value) => (value === "" ? free("required", [required, id]) : change("required", [Number(value), id])),
  );
  const label = picker(
    "Relation",
    relation,
    page.model.relations.map((one) => [one, one]),
    (value) => (value === "" ? free("labels", [null, id, relation]) : change("labels", [null, id, value])),
  );
  const span = picker(
    "Subtree with",
    undefined,
    ends.map((one) => [one, `${one} ${nameOf(sentence, one)}`]),
    (value) => value !== "" && change("spans", [Math.min(id, Number(value)), Math.max(id, Number(value))]),
  );
  const not = [null, id, word.deprel];
  const refuse = html(
    "button",
    { type: "button", class: "toggle", "data-choice": "refuse", click: () => change("forbidden_labels", not) },
    `forbid ${word.deprel}`,
  );
  return html(
    "div",
    { class: "choices" },
    head,
    page.model.relations.length ? label : null,
    word.deprel && page.model.relations.length ? refuse : null,
    span,
  );
}

function picker(label, value, options, chosen) {
  const select = html(
    "select",
    { "data-choice": label, "aria-label": label, change: (event) => chosen(event.target.value) },
    html("option", { value: "" }, "any"),
    options.map(([one, text]) => html("option", { value: one, selected: one === value }, text)),
  );
  return html("label", {}, label, " ", select);
}
