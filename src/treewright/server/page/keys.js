// The keys of the annotator. They count while the focus is in the sentence, and single letters not in its inputs.

import { html } from "./dom.js";

/** Keys, what they do in words, and what they do. */
const KEYS = [
  [["c"], "confirm the word, and go to the next doubtful one", (page) => page.word && page.confirm(page.word.id)],
  [["Ctrl+Enter"], "confirm the sentence, and go to the next one", (page) => page.confirm()],
  [["d"], "go to the next doubtful word", (page) => page.doubtful()],
  [["n"], "next sentence", (page) => page.go(1)],
  [["p"], "previous sentence", (page) => page.go(-1)],
  [["0"], "make the word the root", (page) => page.word && page.act({ do: "head", word: page.word.id, head: 0, deprel: "root" })],
  [["1", "2", "3", "4", "5"], "take another head and relation from the list", (page, key) => other(page, Number(key))],
  [["h"], "write the head", (page) => page.field("head")],
  [["r"], "write the relation", (page) => page.field("deprel")],
  [["t"], "write the tag", (page) => page.field("upos")],
  [["l"], "write the lemma", (page) => page.field("lemma")],
  [["f"], "write the features", (page) => page.field("feats")],
  [["o"], "open the word again", (page) => page.word && page.act({ do: "reopen", word: page.word.id })],
  [["z", "Ctrl+z"], "undo", (page) => page.step("undo")],
  [["y", "Ctrl+y", "Ctrl+Z"], "do again", (page) => page.step("redo")],
  [["s", "Ctrl+s"], "save", (page) => page.save()],
  [["?"], "show these keys, or hide them", (page) => page.help()],
];

/** Keys of the drawing and of inputs. */
const MORE = [
  ["← →", "go along the words"],
  ["↑ ↓", "from a word to the arc into it, and back"],
  ["Enter", "on a word: it is the head; then go to a word and press Enter again"],
  ["Esc", "let go of a head; leave an input"],
];

/** List the keys for people. */
export function listed() {
  const rows = [...MORE.map(([key, text]) => [[key], text]), ...KEYS];
  return rows.flatMap(([keys, text]) => [
    html("dt", {}, keys.flatMap((key, i) => [i ? " " : null, html("kbd", {}, key.replace("Ctrl+Z", "Ctrl+Shift+z"))])),
    html("dd", {}, text),
  ]);
}

/** Listen to keys within an element. */
export function shortcuts(root, page) {
  root.addEventListener("keydown", (event) => {
    const writes = event.target.closest("input, select, textarea");
    if (event.key === "Escape" && writes) {
      page.focus(page.word.id);
      return event.preventDefault();
    }
    const control = event.ctrlKey || event.metaKey;
    if (event.altKey || event.repeat || !page.sentence || (writes && !control)) return;
    const key = control ? `Ctrl+${event.key}` : event.key;
    const found = KEYS.find(([keys]) => keys.includes(key));
    if (!found) return;
    event.preventDefault();
    found[2](page, event.key);
  });
}

/** Take one of the other heads of a word. */
function other(page, number) {
  const chosen = page.word?.alternatives?.[number - 1];
  if (chosen) page.act({ do: "head", word: page.word.id, head: chosen.head, deprel: chosen.deprel });
  else page.say("There is no such head in the list.");
}
