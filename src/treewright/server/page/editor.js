// The form of one word: what is known of it in inputs, the other heads that it could have, and its confirmation.

import { html, percent } from "./dom.js";
import { nameOf } from "./tree.js";

const FIELDS = [
  ["head", "Head"],
  ["deprel", "Relation"],
  ["upos", "Tag"],
  ["xpos", "Own tag"],
  ["lemma", "Lemma"],
  ["feats", "Features"],
];

const STATUSES = { _: "not looked at", arc: "arc looked at", word: "confirmed" };

/** Fill the form with the selected word. */
export function filled(form, page) {
  const { word, sentence } = page;
  form.hidden = !word;
  if (!word) return;
  const focused = form.contains(document.activeElement) ? document.activeElement.name : undefined;
  form.onsubmit = (event) => event.preventDefault();
  const [about, fields, others] = form.children;
  about.replaceChildren(...described(word, page));
  fields.replaceChildren(...FIELDS.flatMap(([name, title]) => field(name, title, word, page)));
  others.replaceChildren(...alternatives(word, sentence, page));
  if (focused) form.querySelector(`[name="${focused}"]`)?.focus();
}

function described(word, page) {
  const done = word.status === "word";
  const click = () => (done ? page.act({ do: "reopen", word: word.id }) : page.confirm(word.id));
  return [
    html("h2", {}, word.form),
    html("p", {}, [STATUSES[word.status], word.p !== undefined && percent(word.p)].filter(Boolean).join(" · ")),
    html("button", { type: "button", class: "confirm", name: "confirm", click }, done ? "Open again" : "Confirm the word"),
  ];
}

function field(name, title, word, page) {
  const value = String(word[name] ?? "");
  const input = html("input", {
    name,
    id: `field-${name}`,
    value,
    class: word.given.includes(name) ? null : "suggested",
    list: ["deprel", "upos", "xpos"].includes(name) ? `known-${name}` : null,
    autocomplete: "off",
    spellcheck: "false",
    "aria-description": word.given.includes(name) ? "given" : "suggested",
    inputmode: name === "head" ? "numeric" : null,
    change: () => changed(name, input.value.trim(), word, page),
    keydown: (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const same = input.value.trim() === value;
      page.focus(word.id); // leaving the input is the change
      if (same && name !== "head") page.act({ do: name, word: word.id, [name]: value || "_" });
    },
  });
  return [html("label", { for: `field-${name}` }, title), input];
}

function changed(name, value, word, page) {
  if (name !== "head") return page.act({ do: name, word: word.id, [name]: value || "_" });
  if (value === "") return page.act({ do: "head", word: word.id, head: null });
  const number = /^\d+$/.test(value) ? Number(value) : page.sentence.words.find(({ form }) => form === value)?.id;
  if (number === undefined) return page.say(`There is no word ${value}.`);
  return page.act({ do: "head", word: word.id, head: number });
}

function alternatives(word, sentence, page) {
  const found = word.alternatives ?? [];
  if (!found.length) return [];
  const rows = found.slice(0, 5).map(({ head, deprel, p }, i) =>
    html(
      "button",
      { type: "button", name: `other-${i + 1}`, click: () => page.act({ do: "head", word: word.id, head, deprel }) },
      html("kbd", {}, String(i + 1)),
      ` ${nameOf(sentence, head)} · ${deprel} · ${percent(p)}`,
    ),
  );
  return [html("p", {}, "Other heads"), ...rows];
}
