// What hands do with a drawn tree: pointing, clicking, dragging from a head to a word, and all of it with keys.
//
// One arc or word of a tree is in the order of tabs; arrow keys go from there to the others. Left and right go along
// the words, up from a word to the arc into it, down from an arc to its word.

import { svg } from "./dom.js";

const MOVED = 6; // pixels until a press becomes a drag

export function attach(drawing, options) {
  const root = drawing.svg;
  const targets = () => [...root.querySelectorAll("[data-key]")];
  const state = { carried: null, anchor: null };
  targets()
    .find((one) => one.wordId)
    ?.setAttribute("tabindex", "0");
  const about = (event) => {
    const group = event.target.closest?.("[data-key]");
    return group ? (group.arc ? { arc: group.arc } : { word: group.wordId }) : null;
  };
  root.addEventListener("focusin", (event) => {
    for (const one of targets()) one.setAttribute("tabindex", one === event.target ? "0" : "-1");
    options.onHover?.(about(event));
  });
  root.addEventListener("focusout", () => options.onHover?.(null));
  root.addEventListener("pointerover", (event) => about(event) && options.onHover?.(about(event)));
  root.addEventListener("pointerout", (event) => about(event) && options.onHover?.(null));
  root.addEventListener("keydown", (event) => pressed(event, drawing, options, state));
  drags(drawing, options, state);
}

/** Keys: arrows move, Enter does what a click does, or takes up a head and puts it down at a word; Escape lets go. */
function pressed(event, drawing, options, state) {
  const group = event.target.closest("[data-key]");
  if (!group || event.ctrlKey || event.metaKey || event.altKey) return;
  const handled = moved(event, group, drawing, options, state) || acted(event, group, drawing, options, state);
  if (handled) event.preventDefault();
}

function moved(event, group, drawing, options, state) {
  const n = drawing.sentence.words.length;
  const id = group.wordId ?? group.arc.word;
  const forth = drawing.layout.rightToLeft ? "ArrowLeft" : "ArrowRight";
  const back = drawing.layout.rightToLeft ? "ArrowRight" : "ArrowLeft";
  const goal = { [forth]: id + 1, [back]: id - 1, Home: 1, End: n }[event.key];
  if (goal !== undefined) {
    const next = Math.min(Math.max(goal, 1), n);
    if (event.shiftKey && group.wordId) stretch(drawing, options, state, id, next);
    else clearSpan(drawing, state);
    const arc = group.arc ? drawing.svg.querySelector(`[data-key^="a"][data-key$="-${next}"]`) : null;
    if (arc) arc.focus();
    else drawing.focus(`w${next}`);
    return true;
  }
  if (event.key === "ArrowUp" && group.wordId)
    drawing.svg.querySelector(`[data-key^="a"][data-key$="-${id}"]`)?.focus();
  else if (event.key === "ArrowDown" && group.arc) drawing.focus(`w${id}`);
  else return false;
  return true;
}

function acted(event, group, drawing, options, state) {
  const { words } = drawing.sentence;
  if (event.key === "Escape" && (state.carried || state.anchor)) {
    carry(drawing, state, null);
    clearSpan(drawing, state);
    options.say?.("Let go.");
    return true;
  }
  if (event.key !== "Enter" && event.key !== " ") return false;
  if (group.arc) options.onArc?.(group.arc, event);
  else if (state.anchor) {
    const span = [state.anchor, group.wordId].sort((a, b) => a - b);
    clearSpan(drawing, state);
    options.onSpan?.(...span);
  } else if (state.carried && state.carried !== group.wordId) {
    const head = state.carried;
    carry(drawing, state, null);
    options.onDrag?.(head, group.wordId);
  } else if (options.onDrag) {
    carry(drawing, state, state.carried ? null : group.wordId);
    if (state.carried)
      options.say?.(
        `“${words[group.wordId - 1].form}” is the head: go to a word and press Enter to require the arc, or Escape.`,
      );
  } else options.onWord?.(group.wordId, event);
  return true;
}

function carry(drawing, state, id) {
  state.carried = id;
  for (const one of drawing.svg.querySelectorAll(".word")) one.classList.toggle("carried", one.wordId === id);
}

function stretch(drawing, options, state, from, to) {
  state.anchor ??= from;
  showSpan(drawing, state.anchor, to);
  options.say?.(`Words ${Math.min(state.anchor, to)} to ${Math.max(state.anchor, to)}: Enter makes them a subtree.`);
}

function clearSpan(drawing, state) {
  state.anchor = null;
  showSpan(drawing, 1, 0);
}

function showSpan({ svg: root }, from, to) {
  const [first, last] = from <= to || to === 0 ? [from, to] : [to, from];
  for (const one of root.querySelectorAll(".word"))
    one.classList.toggle("spanned", first <= one.wordId && one.wordId <= last);
}

/** Presses that become drags: from a head to a word, or, with Shift, along the words of a span. */
function drags(drawing, options, state) {
  const root = drawing.svg;
  let drag = null;
  const end = () => {
    drag?.line?.remove();
    for (const one of root.querySelectorAll(".aimed")) one.classList.remove("aimed");
    root.classList.remove("dragging");
    clearSpan(drawing, state);
    drag = null;
  };
  root.addEventListener("pointerdown", (event) => {
    const word = event.target.closest(".word")?.wordId;
    if (event.button === 0 && word)
      drag = { word, id: event.pointerId, x: event.clientX, y: event.clientY, span: event.shiftKey };
    if (word && event.shiftKey) event.preventDefault();
  });
  root.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.moving && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < MOVED) return;
    if (!drag.moving) {
      drag.moving = true;
      root.setPointerCapture(drag.id);
      root.classList.add("dragging");
    }
    aim(drawing, drag, event);
  });
  root.addEventListener("pointerup", (event) => {
    const done = drag;
    end();
    if (!done?.moving) return;
    const word = wordAt(drawing, event);
    if (done.span && word) options.onSpan?.(Math.min(done.word, word), Math.max(done.word, word));
    else if (word && word !== done.word) options.onDrag?.(done.word, word);
  });
  root.addEventListener("pointercancel", end);
  root.addEventListener("keydown", (event) => event.key === "Escape" && end());
  root.addEventListener("click", (event) => {
    const group = event.target.closest("[data-key]");
    if (group?.arc) options.onArc?.(group.arc, event);
    else if (group) options.onWord?.(group.wordId, event);
  });
}

/** Show where a drag would end. */
function aim(drawing, drag, event) {
  const root = drawing.svg;
  const word = wordAt(drawing, event);
  for (const one of root.querySelectorAll(".word"))
    one.classList.toggle("aimed", one.wordId === word && word !== drag.word);
  if (drag.span) return word ? showSpan(drawing, drag.word, word) : undefined;
  drag.line ??= root.appendChild(svg("path", { class: "drag" }));
  const from = drawing.layout.words[drag.word - 1];
  const point = pointIn(root, event);
  const to = word && word !== drag.word ? drawing.layout.words[word - 1] : point;
  const top = Math.min(from.y, to.y) - Math.min(30 + Math.abs(to.x - from.x) / 5, 80);
  drag.line.setAttribute("d", `M${from.x} ${from.y}C${from.x} ${top} ${to.x} ${top} ${to.x} ${to.y}`);
}

function wordAt(drawing, event) {
  const point = pointIn(drawing.svg, event);
  const near = drawing.layout.words.findIndex(
    ({ x, y, width }) => Math.abs(point.x - x) < width / 2 + 9 && point.y > y - 8 && point.y < y + 48,
  );
  return near < 0 ? null : near + 1;
}

function pointIn(root, event) {
  const box = root.getBoundingClientRect();
  const scale = root.viewBox.baseVal.width / box.width;
  return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
}
