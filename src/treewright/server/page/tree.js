// Draws a dependency tree as SVG in the document.
//
//   const drawing = draw(container, sentence, options)
//
// container   an element; what it holds is replaced. An arc or word in it that has the focus keeps it.
// sentence    {words: [{id, form, upos, head, deprel, head_p, ...}]}, as of /api/parse; a word may lack a head.
// options     all of them may be left out:
//   label         what the tree is called, for screen readers
//   width         what lines are broken at; Infinity for one line; the width of the container if left out
//   tags          whether parts of speech stand below the words (true)
//   below         free room below each line, in pixels, for `showBelow` (0)
//   extra         more arcs: [{head, word, label, p, kind, below}]; `kind` becomes a class, `below` puts it below the words
//   arcClass      (arc) => classes of an arc {head, word, label, p, kind}, such as "required", "forbidden", "different"
//   wordClass     (id) => classes of a word, such as "selected", "doubtful"
//   spans         [[first, last], ...], drawn as brackets below the words
//   still         a picture: no buttons, nothing to focus
//   onArc(arc, event), onWord(id, event)      clicked; Enter on an arc, too
//   onHover({arc} | {word} | null)            pointed at or focused, and no longer
//   onDrag(head, word)                        dragged from a head to a word; with keys: Enter on a head, then on a word
//   onSpan(first, last)                       dragged with Shift held; with keys: Shift and arrows, then Enter
//   say(text)                                 something to tell in a status line
//
// It returns {svg, layout, showBelow(arcs), focus(key)}: `showBelow` draws other arcs below the words for as long as it
// is not called again; keys are "w3" for word 3 and "a2-3" for the arc from 2 to 3.
//
// Classes to style: svg.tree > g.arc[.KIND] > path.line, path.tip, text.label; g.word > text.form, text.tag; path.span.

import { percent, svg } from "./dom.js";
import { attach } from "./gestures.js";
import { arcsBelow, layout } from "./layout.js";

const DOUBT = 0.9; // arcs less probable than this have their probability beside their label
const RADIUS = 24;

export function draw(container, sentence, options = {}) {
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const style = measures(container);
  const tags = options.tags !== false && sentence.words.some((word) => word.upos);
  const arcs = [...arcsOf(sentence), ...(options.extra ?? [])].map((arc) => ({ ...arc }));
  for (const arc of arcs) arc.labelWidth = style.label(labelOf(arc));
  const widths = sentence.words.map(({ form, upos }) => Math.max(style.form(form), tags ? style.tag(upos ?? "") : 0));
  const place = layout(widths, arcs, options.width ?? container.clientWidth, {
    below: (options.below ?? 0) + (options.spans?.length ? 12 : 0),
    tagHeight: tags ? 46 : 31,
    stuck: sentence.words.map(({ upos }) => upos === "PUNCT"),
    rightToLeft: isRightToLeft(sentence),
  });
  const root = svg("svg", {
    class: options.still ? "tree still" : "tree",
    role: options.still ? "img" : "group",
    "aria-label": options.label ?? "Dependency tree",
    width: Math.ceil(place.width),
    height: Math.ceil(place.height),
    viewBox: `0 0 ${Math.ceil(place.width)} ${Math.ceil(place.height)}`,
  });
  const under = svg("g", { class: "under", "aria-hidden": "true" });
  root.append(
    under,
    ...(options.spans ?? []).flatMap((span) => spanBrackets(span, place)),
    ...arcs.map((arc) => arcGroup(arc, place, sentence, options)),
    ...sentence.words.map((word, index) => wordGroup(word, place.words[index], widths[index], tags, sentence, options)),
  );
  const drawing = {
    svg: root,
    layout: place,
    sentence,
    focus: (key) => root.querySelector(`[data-key="${key}"]`)?.focus(),
    showBelow: (others) => under.replaceChildren(...othersBelow(others, place, style)),
  };
  if (!options.still) attach(drawing, options);
  container.replaceChildren(root);
  if (focused) drawing.focus(focused);
  return drawing;
}

/** The arcs of a tree, one for each word that has a head. */
export function arcsOf({ words }) {
  const attached = words.filter(({ head }) => head !== undefined && head !== null && head >= 0);
  return attached.map(({ id, head, deprel, head_p }) => ({ head, word: id, label: deprel ?? "", p: head_p }));
}

/** The form of a word, or "the root". */
export function nameOf(sentence, id) {
  return id === 0 ? "the root" : (sentence.words[id - 1]?.form ?? String(id));
}

/** An arc in words, for those who hear it. */
export function sayArc(sentence, { head, word, label, p, kind }) {
  const what =
    head === 0
      ? `${nameOf(sentence, word)} is the root`
      : `${nameOf(sentence, word)} depends on ${nameOf(sentence, head)}`;
  return [what, [label, percent(p)].filter(Boolean).join(" "), kind].filter(Boolean).join(", ");
}

function labelOf({ label, p, below }) {
  return p !== undefined && (p < DOUBT || below) ? `${label} ${Math.round(p * 100)}` : label;
}

function arcGroup(arc, place, sentence, options) {
  const classes = ["arc", arc.kind, options.arcClass?.(arc)].filter(Boolean).join(" ");
  const segments = place.segments.filter((segment) => segment.arc === arc);
  const group = svg("g", { class: classes }, drawnSegments(arc, segments, place));
  if (!options.still) {
    group.dataset.key = `a${arc.head}-${arc.word}`;
    for (const [name, value] of Object.entries({ role: "button", tabindex: -1 })) group.setAttribute(name, value);
    group.setAttribute("aria-label", sayArc(sentence, { ...arc, kind: arc.kind ?? options.arcClass?.(arc) }));
  }
  group.arc = arc;
  return group;
}

/** Lines, an arrow head and labels. */
function drawnSegments(arc, segments, place) {
  return segments.flatMap((segment) => {
    const shape = outline(segment, place);
    const shade = arc.p === undefined ? null : (arc.below ? 0.45 + 0.55 * arc.p : 0.24 + 0.76 * arc.p).toFixed(3);
    return [
      svg("path", { class: "hit", d: shape.line }),
      svg("path", { class: "line", d: shape.line, "stroke-opacity": shade }),
      ...shape.tails.map((d) => svg("path", { class: "line tail", d, "stroke-opacity": shade })),
      shape.tip ? svg("path", { class: "tip", d: shape.tip, "fill-opacity": shade }) : null,
      segment.labelled && arc.label ? labelAt(arc, within(shape.x, arc.labelWidth / 2 + 2, place.width), shape.y) : null,
    ];
  });
}

/** Not so near to an edge that a label is cut off. */
function within(x, margin, width) {
  return Math.max(Math.min(x, width - margin), margin);
}

function labelAt(arc, x, y) {
  const doubtful = labelOf(arc) !== arc.label;
  return svg(
    "g",
    { class: "plate" },
    svg("rect", {
      class: "back",
      x: x - arc.labelWidth / 2 - 3,
      y: y - 8,
      width: arc.labelWidth + 6,
      height: 16,
      rx: 3,
    }),
    svg(
      "text",
      { class: "label", x, y: y + 4, "text-anchor": "middle" },
      arc.label,
      doubtful ? svg("tspan", { class: "p" }, labelOf(arc).slice(arc.label.length)) : null,
    ),
  );
}

/** The line of a segment, its dashed ends where it goes on, its arrow head, and the middle of its label. */
function outline({ arc, root, line, from, to, start, end, height }, place) {
  const up = arc.below ? -1 : 1;
  const foot = arc.below ? place.lines[line].under : place.lines[line].base;
  const y = foot - up * height;
  const x = (from + to) / 2;
  const tipAt = root ? from : arc.word < arc.head !== Boolean(place.rightToLeft) ? from : to;
  const pointed = !(tipAt === from ? start : end);
  const tip = pointed ? `M${tipAt} ${foot}l-3.6 ${-up * 7}q3.6 ${up * 2} 7.2 0z` : null;
  if (root) return { line: `M${x} ${y + up * 8}V${foot - up * 5}`, tails: [], tip, x, y };
  const [rx, ry] = [Math.min(RADIUS, (to - from) / 2), Math.min(RADIUS, height - 6)];
  const tail = Math.min(14, (to - from) / 3);
  const stop = (at) => (pointed && tipAt === at ? foot - up * 5 : foot);
  const rise = start
    ? `M${from + tail} ${y}`
    : `M${from} ${stop(from)}V${y + up * ry}A${rx} ${ry} 0 0 ${up > 0 ? 1 : 0} ${from + rx} ${y}`;
  const fall = end ? `H${to - tail}` : `H${to - rx}A${rx} ${ry} 0 0 ${up > 0 ? 1 : 0} ${to} ${y + up * ry}V${stop(to)}`;
  const tails = [start && `M${from} ${y}h${tail}`, end && `M${to} ${y}h${-tail}`].filter(Boolean);
  return { line: rise + fall, tails, tip, x, y };
}

function wordGroup(word, { x, y }, width, tags, sentence, options) {
  const group = svg(
    "g",
    { class: ["word", options.wordClass?.(word.id)].filter(Boolean).join(" ") },
    svg("rect", { class: "box", x: x - width / 2 - 6, y: y + 2, width: width + 12, height: tags ? 42 : 28, rx: 5 }),
    svg("text", { class: "form", x, y: y + 22, "text-anchor": "middle" }, word.form),
    " ", // so that what is read aloud is two words, too
    tags ? svg("text", { class: "tag", x, y: y + 38, "text-anchor": "middle" }, word.upos ?? "") : null,
  );
  if (!options.still) {
    const about = [
      [word.form, tags && word.upos].filter(Boolean).join(" "),
      word.head === 0 ? "root" : word.head > 0 && `${word.deprel ?? ""} of ${nameOf(sentence, word.head)}`,
    ];
    group.dataset.key = `w${word.id}`;
    const given = { role: "button", tabindex: -1, "aria-label": about.filter(Boolean).join(", ") };
    for (const [name, value] of Object.entries(given)) group.setAttribute(name, value);
  }
  group.wordId = word.id;
  return group;
}

function spanBrackets([first, last], place) {
  return place.lines.flatMap((line) => {
    const [low, high] = [Math.max(first - 1, line.first), Math.min(last - 1, line.last)];
    if (low > high) return [];
    const ends = [place.words[low], place.words[high]].sort((a, b) => a.x - b.x);
    const [from, to, y] = [ends[0].x - ends[0].width / 2, ends[1].x + ends[1].width / 2, line.under + 6];
    return [svg("path", { class: "span", d: `M${from} ${y - 5}V${y}H${to}V${y - 5}` })];
  });
}

function othersBelow(others, place, style) {
  const arcs = others.map((arc) => ({ ...arc, below: true }));
  for (const arc of arcs) arc.labelWidth = style.label(labelOf(arc));
  const segments = arcsBelow(place, arcs);
  return arcs.map((arc) =>
    svg(
      "g",
      { class: "arc other" },
      drawnSegments(
        arc,
        segments.filter((one) => one.arc === arc),
        place,
      ),
    ),
  );
}

function isRightToLeft({ words }) {
  const letters = words
    .map(({ form }) => form)
    .join("")
    .slice(0, 200);
  return (
    (letters.match(/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/gu) ?? []).length >
    letters.length / 2
  );
}

const canvas = document.createElement("canvas").getContext("2d");
const known = new Map(); // font and text → width

/** How wide words, tags and labels are in the fonts that a container gives them. */
function measures(container) {
  const probes = ["form", "tag", "label"].map((name) => svg("text", { class: name }));
  const group = svg("svg", { class: "tree" }, probes);
  container.append(group);
  const fonts = probes.map((probe) => {
    const { fontStyle, fontWeight, fontSize, fontFamily, letterSpacing } = getComputedStyle(probe);
    return { font: `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`, spacing: parseFloat(letterSpacing) || 0 };
  });
  group.remove();
  const measure =
    ({ font, spacing }) =>
    (text) => {
      const key = `${font}\n${text}`;
      if (!known.has(key)) {
        canvas.font = font;
        if (known.size > 20_000) known.clear();
        known.set(key, canvas.measureText(text).width + spacing * text.length);
      }
      return known.get(key);
    };
  return { form: measure(fonts[0]), tag: measure(fonts[1]), label: measure(fonts[2]) };
}
