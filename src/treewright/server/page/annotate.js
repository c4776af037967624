// The annotator: a queue of sentences, the tree of one of them, and what a person says about it.
//
// Every action is a question to the server, which answers with the sentence as it is then: the tree is parsed anew around
// whatever is known. Actions go one after the other, so that each is about what was seen.

import { ask, authorize } from "./api.js";
import { count, html, percent } from "./dom.js";
import { filled } from "./editor.js";
import { listed, shortcuts } from "./keys.js";
import * as queue from "./queue.js";
import { themed } from "./theme.js";
import { draw } from "./tree.js";

const ROOT = "/api/annotate";
const POLL = 2000; // milliseconds between two looks at what goes on in the background
const PATIENCE = 15; // looks at the doubts before the first sentence is shown

const at = (id) => document.getElementById(id);
const state = { about: null, queue: [], done: false, current: null, selected: null, runs: null };
let drawing;
let last = Promise.resolve();

/** What keys and the editor may ask of the page. */
const page = {
  get sentence() {
    return state.current;
  },
  get word() {
    return state.current?.words[state.selected - 1];
  },
  get about() {
    return state.about;
  },
  act,
  confirm,
  go,
  doubtful,
  save,
  step: (name) => act({ do: name }),
  focus: (id) => drawing?.focus(`w${id}`),
  field: (name) => at("word").querySelector(`[name="${name}"]`)?.select(),
  help: () => at("help").toggleAttribute("open"),
  say: (text) => (at("status").textContent = text),
};

/** Ask the server; an answer means that whatever was wrong before is over. */
async function asked(path, body) {
  const found = await ask(ROOT + path, body);
  at("token").hidden = true;
  return found;
}

function fail(error) {
  at("error").textContent = error.message;
  at("token").hidden = error.about?.code !== "unauthorized";
}

/** Do something when all that was begun before is done. */
function inTurn(work) {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

/** Do something to the sentence that is shown, as it was seen, and return the sentence; undefined if it is refused. */
function act(action) {
  return inTurn(async () => {
    const { sentence, version } = state.current ?? {};
    const about = ["undo", "redo"].includes(action.do) ? {} : { sentence, seen: version };
    try {
      const found = await asked("/actions", { ...about, ...action });
      at("error").textContent = "";
      at("saved").textContent = "Not saved";
      const isOther = found.sentence !== sentence;
      shown(found, isOther);
      if (isOther || found.done) await refresh();
      return found;
    } catch (error) {
      fail(error);
      if (error.about?.code === "stale") shown(await asked(`/sentences/${sentence}`), false);
    }
  });
}

/** Confirm a word and go to the next doubtful one, or the whole sentence and go to the next. */
async function confirm(word) {
  if (word) {
    const found = await act({ do: "confirm", word });
    if (found) doubtful();
    return;
  }
  const found = await act({ do: "confirm" });
  if (!found) return;
  const next = state.queue.find(({ sentence }) => sentence !== found.sentence);
  if (next && !state.done) await show(next.sentence);
  else if (!next) nothing();
}

/** Select the next word whose arc is doubtful, after the one that is selected. */
function doubtful() {
  const { words } = state.current;
  const from = state.selected ?? 0;
  const order = [...words.slice(from), ...words.slice(0, from)];
  const next = order.find((word) => word.doubtful) ?? order.find((word) => word.status !== "word");
  if (next) select(next.id, true);
  page.say(next ? "" : "No word is left to be looked at: confirm the sentence.");
}

/** Go some sentences on in the queue, or back. */
function go(steps) {
  const place = state.queue.findIndex(({ sentence }) => sentence === state.current?.sentence);
  const next = state.queue[place < 0 ? 0 : (place + steps + state.queue.length) % state.queue.length];
  if (next) return show(next.sentence).catch(fail);
}

async function save() {
  try {
    const { saved } = await asked("/save", {});
    page.say(`Saved ${saved}.`);
    await look();
  } catch (error) {
    fail(error);
  }
}

function show(sentence) {
  return inTurn(async () => {
    shown(await asked(`/sentences/${sentence}`), true);
    at("error").textContent = "";
  });
}

/** Show a sentence; another one than before begins at its first doubtful word. */
function shown(found, isOther) {
  state.current = found;
  at("work").hidden = false;
  at("nothing").hidden = true;
  if (isOther) state.selected = (found.words.find((word) => word.doubtful) ?? found.words[0])?.id ?? null;
  at("sentence").textContent = found.text ?? found.words.map(({ form }) => form).join(" ");
  const facts = [
    count(found.words.length, "word"),
    found.doubt !== null && state.about.order === "doubt" && `${found.doubt.toFixed(2)} errors expected`,
    found.done ? "done" : `${found.words.filter(({ status }) => status !== "_").length} looked at`,
  ];
  at("facts").textContent = facts.filter(Boolean).join(" · ");
  at("findings").replaceChildren(...found.findings.map(finding));
  redraw();
  selected();
  steps(found);
  mark();
  if (isOther) page.focus(state.selected);
}

function redraw() {
  const { current } = state;
  const wrong = new Set(current.findings.map(({ word }) => word));
  const words = current.words.map((word) => ({ ...word, head_p: word.p }));
  drawing = draw(
    at("tree"),
    { ...current, words },
    {
      label: `Dependency tree of “${at("sentence").textContent}”`,
      arcClass: ({ word }) => classOf(words[word - 1]),
      wordClass: (id) =>
        [
          words[id - 1].status === "word" && "confirmed",
          wrong.has(id) && "wrong",
          id === state.selected && "selected",
        ]
          .filter(Boolean)
          .join(" "),
      onArc: ({ word }) => select(word, true),
      onWord: (word) => select(word, true),
      onDrag: (head, word) => act({ do: "head", word, head }).then(() => select(word, true)),
      say: page.say,
    },
  );
}

function classOf({ doubtful: isDoubtful, status }) {
  return isDoubtful ? "doubtful" : status !== "_" ? "settled" : "";
}

function finding({ level, word, text }) {
  const where = word ? `${state.current.words[word - 1].form}: ` : "";
  const about = { type: "button", click: () => word && select(word, true) };
  return html("li", { class: level }, html("button", about, `${level}: ${where}${text}`));
}

function select(id, focus) {
  state.selected = id;
  selected();
  if (focus) page.focus(id);
}

function selected() {
  for (const one of at("tree").querySelectorAll(".word")) one.classList.toggle("selected", one.wordId === state.selected);
  filled(at("word"), page);
}

function nothing() {
  at("work").hidden = true;
  at("nothing").hidden = false;
  at("nothing").textContent = "Every sentence is done. Save, and you are, too.";
}

/** Ask for the queue, and list it. */
async function refresh() {
  const found = await asked(`/queue?count=50&done=${state.done ? 1 : 0}`);
  state.queue = found.queue;
  queue.fill(at("list"), at("rest"), found, (sentence) => show(sentence).catch(fail));
  mark();
}

function mark() {
  queue.mark(at("list"), state.current?.sentence);
}

/** What can be undone, and how far it is. */
function steps({ can_undo: canUndo, can_redo: canRedo, progress }) {
  at("undo").disabled = !canUndo;
  at("redo").disabled = !canRedo;
  at("done").value = progress.sentences ? progress.done / progress.sentences : 1;
  const scored = progress.scored < progress.sentences ? `, doubts known of ${progress.scored}` : "";
  at("counts").textContent =
    `${progress.done} of ${count(progress.sentences, "sentence")} done, ${progress.arcs} of ${count(progress.words, "word")} looked at` +
    (state.about?.order === "file" ? "" : scored);
}

/** Look at what goes on in the background; a new parser makes new suggestions. */
async function look() {
  const found = await asked("/status");
  steps(found);
  at("saved").textContent = found.saved ? "Saved" : "Not saved";
  const { state: name, line, share, runs } = found.retraining;
  const isTraining = name === "training";
  at("retraining").dataset.state = name;
  at("retrain").disabled = isTraining;
  at("training").hidden = !isTraining;
  if (share === null) at("training").removeAttribute("value");
  else at("training").value = share;
  const said = isTraining && share ? `${percent(share)}: ${line}` : line;
  if (at("trained").textContent !== said) at("trained").textContent = said;
  const before = state.runs;
  state.runs = `${name} ${runs}`;
  const scoring = !state.done && found.progress.scored < found.progress.sentences;
  if (before !== null && before !== state.runs && name === "swapped" && state.current) await show(state.current.sentence);
  if (scoring || before !== state.runs || state.scoring) await refresh();
  state.scoring = scoring;
}

function watch() {
  look()
    .catch(fail)
    .finally(() => setTimeout(watch, POLL));
}

/** Learn what the file is, and show the first sentence. */
async function connect() {
  state.about = await asked("");
  at("file").textContent = state.about.file.split(/[\\/]/).pop();
  document.title = `${at("file").textContent}: Treewright`;
  for (const [name, known] of [["deprel", "relations"], ["upos", "upos"], ["xpos", "xpos"]])
    at(`known-${name}`).replaceChildren(...state.about[known].map((value) => html("option", { value })));
  await document.fonts.ready;
  await settled();
  await refresh();
  if (state.queue.length) await show(state.queue[0].sentence);
  else nothing();
  watch();
}

/** Wait a moment for doubts to be known: the first sentence should be one that is worth looking at. */
async function settled() {
  for (let i = 0; i < PATIENCE && state.about.order !== "file"; i++) {
    const { progress } = await asked("/status");
    if (progress.scored === progress.sentences) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function listen() {
  at("undo").addEventListener("click", () => page.step("undo"));
  at("redo").addEventListener("click", () => page.step("redo"));
  at("save").addEventListener("click", save);
  at("confirm").addEventListener("click", () => confirm());
  at("next").addEventListener("click", () => go(1));
  at("previous").addEventListener("click", () => go(-1));
  at("retrain").addEventListener("click", () => asked("/retrain", {}).then(look).catch(fail));
  at("tree").addEventListener("focusin", ({ target }) => {
    const group = target.closest("[data-key]");
    const id = group?.wordId ?? group?.arc?.word;
    if (id && id !== state.selected) select(id, false);
  });
  queue.choosing(at("open"), at("finished"), (done) => {
    state.done = done;
    refresh().catch(fail);
  });
  at("token").addEventListener("submit", (event) => {
    event.preventDefault();
    authorize(at("token").querySelector("input").value);
    connect().catch(fail);
  });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (width === innerWidth || !state.current) return;
    width = innerWidth;
    redraw();
  });
}

themed(at("theme"));
at("help").querySelector("dl").replaceChildren(...listed());
shortcuts(at("work"), page);
listen();
connect().catch(fail);
