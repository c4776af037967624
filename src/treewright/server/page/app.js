// The page: what was typed and chosen, one question to the server for each change, and the answer everywhere.

import { ask, authorize, latest } from "./api.js";
import { chips } from "./chips.js";
import * as known from "./constraints.js";
import * as constituents from "./constituents.js";
import { copying } from "./copy.js";
import { count, html, percent } from "./dom.js";
import * as dual from "./dual.js";
import * as kbest from "./kbest.js";
import { readLink, written } from "./link.js";
import * as list from "./list.js";
import * as matrix from "./matrix.js";
import { tabs } from "./tabs.js";
import { themed } from "./theme.js";
import { draw } from "./tree.js";
import * as word from "./word.js";

const FIRST = "She saw the man with the telescope in the old park.";
const PAUSE = 8; // milliseconds without a key before a question: shorter than typing, longer than a paste
const OTHERS_BELOW = 76; // room for the other heads of a word

const at = (id) => document.getElementById(id);
const parse = latest();

const state = { text: "", model: "", index: 0, tab: "word", constraints: [], forms: [], sentences: [], selected: null };
let models = [];
let preset; // the model of whoever chooses none
let pause;
let panel;
let drawing;

/** What the parts of the page know of it, and may ask of it. */
const page = {
  get sentence() {
    return state.sentences[state.index];
  },
  get constraints() {
    return state.constraints[state.index] ?? known.NONE;
  },
  get model() {
    return models.find(({ name }) => name === state.model) ?? { name: state.model, relations: [] };
  },
  get models() {
    return models;
  },
  get drawing() {
    return drawing;
  },
  get selected() {
    return state.selected;
  },
  get link() {
    return location.href.split("#")[0] + written(state);
  },
  /** The question that has the current sentence, as it is now, for its answer. */
  question: (more) => ({
    model: state.model,
    text: page.sentence.text,
    lines: true,
    constraints: known.plain(page.constraints) ?? undefined,
    ...more,
  }),
  constrain(constraints) {
    state.constraints[state.index] = constraints;
    chosen.update();
    return update();
  },
  select(id) {
    state.selected = id;
    panel.open("word");
    redraw();
  },
  say: (text) => (at("status").textContent = text),
  fail,
};

const chosen = chips(at("chips"), at("builder"), page);

async function update() {
  const text = state.text;
  remember();
  if (!text.trim()) return answered({ sentences: [] }, text);
  at("stage").setAttribute("aria-busy", "true");
  try {
    let answer = await parse("/api/parse", body(text));
    const carried = answer && carryOver(answer.sentences);
    if (carried) answer = await parse("/api/parse", body(text));
    if (answer) answered(answer, text);
  } catch (error) {
    fail(error);
  }
}

/** The question for a text. Constraints go with the words that they are about: not with a text that was edited since. */
function body(text) {
  const given = state.constraints.map(known.plain);
  const more = page.model.probabilities === false ? {} : { confidence: true, alternatives: 8, marginals: true };
  return {
    model: state.model,
    text,
    ...more,
    exact: state.exact || undefined,
    constraints: state.of === text && given.some(Boolean) ? given : undefined,
  };
}

/** Move the constraints to the words as they are now; whether there are any for which to ask again. */
function carryOver(sentences) {
  if (state.of === state.text) return false;
  const forms = sentences.map(({ words }) => words.map(({ form }) => form));
  state.constraints = forms.map((now, i) => {
    const constraints = state.constraints[i] ?? known.NONE;
    return state.forms[i] ? known.moved(constraints, state.forms[i], now) : constraints;
  });
  state.forms = forms;
  state.of = state.text;
  return state.constraints.some(known.plain);
}

function answered({ sentences }, text) {
  at("error").textContent = "";
  at("token").hidden = true;
  at("stage").removeAttribute("aria-busy");
  state.sentences = sentences;
  state.constraints.length = sentences.length;
  state.constraints = Array.from(state.constraints, (one) => one ?? known.NONE);
  state.index = Math.min(state.index, Math.max(sentences.length - 1, 0));
  state.forms = sentences.map(({ words }) => words.map(({ form }) => form));
  state.of = text;
  redraw();
  pager();
  chosen.update();
  panel.update();
  facts();
  remember();
}

function fail(error) {
  at("stage").removeAttribute("aria-busy");
  at("error").textContent = error.message;
  at("token").hidden = error.about?.code !== "unauthorized";
}

/** Draw the tree of the current sentence. */
function redraw() {
  const { sentence, constraints } = page;
  at("stage").hidden = !sentence;
  at("tools").hidden = !sentence;
  if (!sentence) return;
  const heads = new Set(sentence.words.map(({ id, head }) => `${head} ${id}`));
  const ghosts = constraints.forbidden.filter((arc) => !heads.has(arc.join(" ")) && arc[1] <= sentence.words.length);
  drawing = draw(at("tree"), sentence, {
    label: `Dependency tree of “${sentence.text}”`,
    width: at("wrap").checked ? at("tree").clientWidth : Infinity,
    below: OTHERS_BELOW,
    extra: ghosts.map(([head, word]) => ({ head, word, label: "×", kind: "forbidden" })),
    arcClass: ({ head, word, kind }) => kind ?? (known.has(constraints, "required", [head, word]) ? "required" : ""),
    wordClass: (id) => (id === state.selected ? "selected" : ""),
    spans: constraints.spans,
    onArc: ({ head, word }) => page.constrain(known.cycled(page.constraints, head, word)),
    onWord: page.select,
    onDrag: (head, word) => page.constrain(known.including(page.constraints, "required", [head, word])),
    onSpan: (first, last) => page.constrain(known.including(page.constraints, "spans", [first, last])),
    onHover: (target) => panel.hover(target),
    say: page.say,
  });
  at("tree").classList.toggle("wide", drawing.layout.width > at("tree").clientWidth);
}

function pager() {
  const { sentences } = state;
  at("sentences").hidden = sentences.length < 2;
  const buttons = sentences
    .slice(0, 200)
    .map(({ text }, i) =>
      html(
        "button",
        { type: "button", title: text, "aria-current": i === state.index && "true", click: () => turn(i) },
        String(i + 1),
      ),
    );
  at("sentences").replaceChildren("Sentence ", ...buttons);
}

function turn(index) {
  if (index === state.index || index < 0 || index >= Math.max(state.sentences.length, 1)) return;
  Object.assign(state, { index, selected: null });
  answered({ sentences: state.sentences }, state.of);
}

function facts() {
  const { sentence } = page;
  const said = !sentence
    ? []
    : [
        count(sentence.words.length, "word"),
        sentence.tree_p !== undefined && `tree ${percent(sentence.tree_p)} probable`,
        sentence.expected_errors !== undefined && `${sentence.expected_errors.toFixed(1)} errors expected`,
        sentence.certificate === true && "proved to be the best tree",
        sentence.certificate === false && "not proved to be the best tree",
      ].filter(Boolean);
  at("facts").textContent = said.join(" · ");
  page.say(sentence ? `${sentence.words.length} words parsed. ${said.slice(1).join(", ")}` : "");
  if (sentence?.certificate !== false) return;
  const prove = () => {
    state.exact = true;
    update();
  };
  at("facts").append(" ", html("button", { type: "button", click: prove }, "search for a proof"));
}

/** The sentence that the caret is in. */
function indexAtCaret() {
  const caret = at("text").selectionStart;
  let end = 0;
  for (const [i, { text }] of state.sentences.entries()) {
    const found = state.text.indexOf(text, end);
    end = found < 0 ? end : found + text.length;
    if (found >= 0 && caret <= end) return i;
  }
  return Math.max(state.sentences.length - 1, 0);
}

function typed() {
  Object.assign(state, { text: at("text").value, selected: null, exact: false });
  fit();
  clearTimeout(pause);
  pause = setTimeout(async () => {
    await update();
    turn(indexAtCaret());
  }, PAUSE);
}

function fit() {
  const box = at("text");
  box.style.setProperty("height", "auto");
  box.style.setProperty("height", `${Math.min(box.scrollHeight, innerHeight * 0.4)}px`);
}

function remember() {
  if (!state.model) return; // not before what the address says has been read
  history.replaceState(null, "", written(state));
}

function restore() {
  const from = readLink(location.hash);
  state.text = from.text ?? FIRST;
  state.model = models.some(({ name, trees }) => name === from.model && trees === "dependencies") ? from.model : preset;
  Object.assign(state, { index: from.index, constraints: from.constraints, forms: [], of: undefined, selected: null });
  if (from.tab) panel.open(from.tab);
  at("text").value = state.text;
  at("model").value = state.model;
  fit();
  return update();
}

/** Learn which models there are, and show what the address asks for. */
async function connect() {
  const about = await ask("/api/models");
  models = about.models;
  preset = about.default.dependencies;
  const parsers = models.filter(({ trees }) => trees === "dependencies");
  at("model").replaceChildren(...parsers.map(({ name }) => html("option", { value: name }, name)));
  if (!preset) throw new Error("The server has no model of dependencies.");
  await document.fonts.ready;
  await restore();
}

function listen() {
  at("text").addEventListener("input", typed);
  at("wrap").addEventListener("change", redraw);
  at("model").addEventListener("change", () => {
    state.model = at("model").value;
    update();
  });
  at("token").addEventListener("submit", (event) => {
    event.preventDefault();
    authorize(at("token").querySelector("input").value);
    (models.length ? update() : connect()).catch(fail);
  });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (width === innerWidth) return; // the bars of a phone come and go
    width = innerWidth;
    fit();
    redraw();
    panel.update();
  });
  addEventListener("hashchange", () => location.hash !== written(state) && restore());
}

themed(at("theme"));
panel = tabs(at("tabs"), at("panel"), [word, kbest, matrix, constituents, dual, list], page, (name) => {
  state.tab = name;
  remember();
});
copying(at("copy"), page);
listen();
connect().catch(fail);
