// The constraints of the sentence as chips that can be removed, and a form to add any other.

import * as known from "./constraints.js";
import { html } from "./dom.js";

const TITLES = {
  required: "fixed arc",
  forbidden: "forbidden arc",
  labels: "chosen relation",
  forbidden_labels: "forbidden relation",
  spans: "words that form a subtree",
  at_most_one: "of this relation under each head",
};

export function chips(list, builder, page) {
  const forms = builder.querySelector(".forms");
  builder.addEventListener("toggle", () => builder.open && build(forms, page));
  const remove = (kind, value, number) => {
    page.constrain(known.without(page.constraints, kind, value));
    const left = list.querySelectorAll("button");
    (left[Math.min(number, left.length - 1)] ?? builder.querySelector("summary")).focus();
  };
  return {
    update() {
      const { sentence, constraints } = page;
      const all = sentence ? known.each(constraints) : [];
      const items = all.map(({ kind, value }, number) => {
        const text = known.sayConstraint({ kind, value }, sentence);
        const label = `Remove ${TITLES[kind]}: ${text}`;
        const button = html(
          "button",
          { type: "button", "aria-label": label, title: "Remove", click: () => remove(kind, value, number) },
          "×",
        );
        return html("li", { class: kind, title: TITLES[kind] }, text, button);
      });
      if (items.length > 1) {
        items.push(
          html(
            "li",
            { class: "all" },
            html("button", { type: "button", click: () => page.constrain(known.NONE) }, "Remove all"),
          ),
        );
      }
      list.replaceChildren(...items);
      list.hidden = !items.length;
      builder.hidden = !sentence;
      if (builder.open && sentence) build(forms, page);
    },
  };
}

/** Forms for constraints of every kind. */
function build(forms, page) {
  if (forms.contains(document.activeElement)) return;
  const { sentence, model } = page;
  if (!sentence) return;
  const words = sentence.words.map(({ id, form }) => [id, `${id} ${form}`]);
  const relations = model.relations.map((one) => [one, one]);
  const add = (kind, value) => page.constrain(known.including(page.constraints, kind, value));
  const arcs = (kind) => (head, word) => head !== word && add(kind, [Number(head), Number(word)]);
  const heads = [[0, "the root"], ...words];
  forms.replaceChildren(
    form(
      "Arc",
      [
        ["from", heads],
        ["to", words],
      ],
      [
        ["require", arcs("required")],
        ["forbid", arcs("forbidden")],
      ],
    ),
    relations.length
      ? form(
          "Relation",
          [
            ["of", words],
            ["is", relations],
          ],
          [
            ["choose", (word, label) => add("labels", [null, Number(word), label])],
            ["forbid", (word, label) => add("forbidden_labels", [null, Number(word), label])],
          ],
        )
      : "",
    form(
      "Subtree",
      [
        ["from", words],
        ["to", words],
      ],
      [
        [
          "add",
          (one, other) => add("spans", [Math.min(Number(one), Number(other)), Math.max(Number(one), Number(other))]),
        ],
      ],
    ),
    relations.length
      ? form("At most one", [["relation", relations]], [["add", (label) => add("at_most_one", label)]])
      : "",
  );
}

function form(title, fields, actions) {
  const selects = fields.map(([label, options]) =>
    html(
      "select",
      { "aria-label": label },
      options.map(([value, text]) => html("option", { value }, text)),
    ),
  );
  const labels = fields.map(([label], i) => html("label", {}, label, " ", selects[i]));
  const buttons = actions.map(([verb, act]) =>
    html("button", { type: "button", click: () => act(...selects.map(({ value }) => value)) }, verb),
  );
  return html("fieldset", {}, html("legend", {}, title), labels, buttons);
}
