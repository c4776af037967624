// The tree as a table: every arc a row, with its probability, for screen readers and for whoever prefers to read.

import * as known from "./constraints.js";
import { html, percent } from "./dom.js";
import { nameOf } from "./tree.js";

export const name = "list";
export const title = "List of arcs";

export function make(root, page) {
  function update() {
    const { sentence } = page;
    const focused = root.contains(document.activeElement) ? document.activeElement.dataset.choice : undefined;
    const headings = ["", "Word", "Tag", "Relation", "Head", "Probability", "Next most probable", "Constraint"];
    const rows = sentence.words.map((word) => row(page, word));
    root.replaceChildren(
      html(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Arcs of the tree" },
        html(
          "table",
          { class: "arcs" },
          html(
            "thead",
            {},
            html(
              "tr",
              {},
              headings.map((one) => html("th", { scope: "col" }, one)),
            ),
          ),
          html("tbody", {}, rows),
        ),
      ),
    );
    if (focused) root.querySelector(`[data-choice="${CSS.escape(focused)}"]`)?.focus();
  }
  return { update };
}

function row(page, word) {
  const { sentence, constraints } = page;
  const arc = [word.head, word.id];
  const [next] = (word.alternatives ?? []).filter(({ head }) => head !== word.head);
  const kept = known.has(constraints, "required", arc);
  const name = `${nameOf(sentence, word.head)} → ${word.form}`;
  const button = (text, label, pressed, constraint) =>
    html(
      "button",
      {
        type: "button",
        class: "toggle",
        "aria-label": `${label} ${name}`,
        "aria-pressed": pressed,
        "data-choice": `${text} ${word.id}`,
        click: () => page.constrain(constraint),
      },
      text,
    );
  return html(
    "tr",
    {},
    html("td", { class: "number" }, String(word.id)),
    html("th", { scope: "row" }, word.form),
    html("td", { class: "tag" }, word.upos ?? ""),
    html("td", {}, word.deprel ?? ""),
    html("td", {}, word.head === undefined ? "" : nameOf(sentence, word.head)),
    html("td", { class: "number" }, percent(word.head_p)),
    html("td", {}, next ? `${nameOf(sentence, next.head)} ${next.deprel} ${percent(next.p)}` : ""),
    html(
      "td",
      {},
      button("fix", "Fix", String(kept), (kept ? known.without : known.including)(constraints, "required", arc)),
      button("forbid", "Forbid", "false", known.including(constraints, "forbidden", arc)),
    ),
  );
}
