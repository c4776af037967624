// The run of dual decomposition on the sentence, as an animation: two searches that are easy, which agree in the end.

import { latest } from "./api.js";
import { count, html, svg } from "./dom.js";
import { draw } from "./tree.js";

export const name = "dual";
export const title = "Dual decomposition";

const NARROW = 280;
const HIGH = 160;
const EXPLANATION =
  "Above the words is the best tree for scores of arcs; below them are the modifiers that each head likes best side by " +
  "side, which need not form a tree: both are easy to find, the best tree for both kinds of scores is not. Prices on " +
  "the arcs in dispute draw the two together, and once they agree, or the bounds meet, no tree can be better.";

export function make(root, page) {
  const ask = latest();
  const play = html("button", { type: "button", click: () => toggle() }, "Play");
  const back = html(
    "button",
    { type: "button", "aria-label": "One iteration back", click: () => go(state.now - 1, true) },
    "‹",
  );
  const forth = html(
    "button",
    { type: "button", "aria-label": "One iteration on", click: () => go(state.now + 1, true) },
    "›",
  );
  const slider = html("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": "Iteration",
    input: () => go(Number(slider.value), true),
  });
  const said = html("p", { class: "cell", "aria-live": "off" });
  const chart = html("div", { class: "chart" });
  const tree = html("div", { class: "scroll" });
  const controls = html("div", { class: "row controls", hidden: true }, play, back, forth, slider, said);
  const note = html("p", { class: "hint" }, EXPLANATION);
  root.append(note, controls, chart, tree);
  const state = { run: null, now: 0, timer: null };

  async function update() {
    stop();
    const { sentence } = page;
    if (sentence.text === state.text) return state.run ? redraw(state.now) : undefined;
    try {
      const run = await ask("/api/dual", { text: sentence.text });
      if (!run || page.sentence !== sentence) return;
      Object.assign(state, { run: withBounds(run), text: sentence.text });
      note.textContent = EXPLANATION;
      controls.hidden = false;
      slider.max = run.iterations.length - 1;
      redraw(run.iterations.length - 1);
    } catch (error) {
      Object.assign(state, { run: null, text: null });
      note.textContent = error.message;
      controls.hidden = true;
      chart.replaceChildren();
      tree.replaceChildren();
    }
  }

  function redraw(now) {
    state.wide = Math.max(chart.clientWidth, NARROW);
    chart.replaceChildren(drawChart(state.run.iterations, state.wide));
    go(now);
  }

  function go(to, byHand = false) {
    if (!state.run) return;
    if (byHand) stop();
    const { iterations } = state.run;
    state.now = Math.min(Math.max(to, 0), iterations.length - 1);
    slider.value = state.now;
    back.disabled = state.now === 0;
    forth.disabled = state.now === iterations.length - 1;
    said.textContent = say(state.run, state.now);
    point(chart, iterations, state.now, state.wide);
    drawIteration(tree, state.run, iterations[state.now]);
  }

  function toggle() {
    if (state.timer) return stop();
    if (state.now === state.run.iterations.length - 1) go(0);
    play.textContent = "Pause";
    state.timer = setInterval(
      () => {
        go(state.now + 1);
        if (state.now === state.run.iterations.length - 1) stop();
      },
      Math.max(120, Math.min(700, 12_000 / state.run.iterations.length)),
    );
  }

  function stop() {
    clearInterval(state.timer);
    state.timer = null;
    play.textContent = "Play";
  }

  return { update, close: stop };
}

/** The bounds are the best values so far: the least above, and the greatest below. */
function withBounds(run) {
  let [upper, lower] = [Infinity, -Infinity];
  const iterations = run.iterations.map((one) => {
    upper = Math.min(upper, one.upper ?? Infinity);
    lower = Math.max(lower, one.lower ?? -Infinity);
    return { ...one, upper, lower };
  });
  return { ...run, iterations };
}

function say({ iterations, certificate }, now) {
  const { upper, lower, disputed } = iterations[now];
  const last = now === iterations.length - 1;
  const end =
    last && certificate
      ? "the bounds meet: this is proved to be the best tree"
      : last
        ? "the run ends without a proof"
        : "";
  const gap = Number.isFinite(lower) ? ` · gap ${Math.max(upper - lower, 0).toFixed(2)}` : "";
  return `Iteration ${now + 1} of ${iterations.length}${gap} · ${end || `${count(disputed.length, "arc")} in dispute`}`;
}

function drawIteration(box, { words }, { heads_tree, disputed }) {
  const arcs = new Set(disputed.map((arc) => arc.join(" ")));
  const label = (head) => (head ? "" : "root");
  const agreed = heads_tree.map((head, i) => [head, i + 1]).filter((arc) => !arcs.has(arc.join(" ")));
  const others = disputed.filter(([head, word]) => heads_tree[word - 1] !== head);
  const sentence = {
    words: words.map((form, i) => ({ id: i + 1, form, head: heads_tree[i], deprel: label(heads_tree[i]) })),
  };
  draw(box, sentence, {
    still: true,
    tags: false,
    label: "The tree of this iteration above the words, the modifiers that heads like best below",
    extra: [...agreed, ...others].map(([head, word]) => ({ head, word, label: label(head), below: true })),
    arcClass: ({ head, word }) => (arcs.has(`${head} ${word}`) ? "disputed" : "agreed"),
  });
}

/** How bounds become heights: the upper one falls, the lower one rises, and the last gap is to be seen. */
function scales(iterations, wide) {
  const values = iterations.flatMap(({ upper, lower }) => [upper, lower]).filter(Number.isFinite);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (i) => 8 + (i / Math.max(iterations.length - 1, 1)) * (wide - 16);
  const y = (value) => 12 + (1 - (Math.max(value, low) - low) / (high - low || 1)) * (HIGH - 40);
  return { x, y };
}

function drawChart(iterations, wide) {
  const { x, y } = scales(iterations, wide);
  const line = (bound) => {
    const points = iterations.map((one, i) => [x(i), one[bound]]).filter(([, value]) => Number.isFinite(value));
    return points.map(([at, value], i) => `${i ? "L" : "M"}${at.toFixed(1)} ${y(value).toFixed(1)}`).join("");
  };
  const between = `${line("upper")}${[...iterations.entries()]
    .reverse()
    .filter(([, { lower }]) => Number.isFinite(lower))
    .map(([i, { lower }]) => `L${x(i).toFixed(1)} ${y(lower).toFixed(1)}`)
    .join("")}Z`;
  return svg(
    "svg",
    {
      viewBox: `0 0 ${wide} ${HIGH}`,
      class: "bounds",
      role: "img",
      "aria-label": "The upper and the lower bound at each iteration",
    },
    svg("path", { class: "gap", d: between }),
    svg("path", { class: "upper", d: line("upper") }),
    svg("path", { class: "lower", d: line("lower") }),
    svg(
      "text",
      { class: "label", x: wide - 8, y: y(iterations[0].upper) + 4, "text-anchor": "end" },
      "upper bound: no tree is better",
    ),
    svg(
      "text",
      { class: "label", x: wide - 8, y: HIGH - 8, "text-anchor": "end" },
      "lower bound: the best tree so far",
    ),
    svg("path", { class: "now" }),
    svg("circle", { class: "now", r: 4 }),
    svg("circle", { class: "now", r: 4 }),
  );
}

function point(chart, iterations, now, wide) {
  const { x, y } = scales(iterations, wide);
  const { upper, lower } = iterations[now];
  const [first, second] = chart.querySelectorAll("circle.now");
  for (const [dot, value] of [
    [first, upper],
    [second, lower],
  ]) {
    dot.setAttribute("cx", x(now));
    dot.setAttribute("cy", Number.isFinite(value) ? y(value) : HIGH - 24);
  }
  chart.querySelector("path.now").setAttribute("d", `M${x(now)} 4V${HIGH - 22}`);
}
