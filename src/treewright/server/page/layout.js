// Where the words and arcs of a tree go. Numbers in, numbers out: nothing here knows of a document.
//
// Words stand side by side, far enough apart that the label of each arc fits over it. What is wider than the page is
// broken into lines where few arcs are cut; an arc that is cut has a segment on each line, open where it goes on. On
// each line, an arc is just above all shorter arcs that it overlaps, so that arcs cross only where the tree does. Arcs
// that only pass over a line lie close together there, and have their labels where they begin and end.

const GAP = 26; // between words
const MARGIN = 30; // on both sides of a label together
const NARROW = 600; // on narrower pages all this is a third less
const SLOT = 7; // between two arcs that end at the same word
const EDGE = 22; // for arcs that go on at the end of a line
const FIRST = 30; // the height of the lowest arcs
const STEP = 26; // from one level to the next
const LOW = 26; // the same for arcs that appear for a while, which have little room
const TIGHT = 17;
const PASSING = 9; // the same between arcs that pass over a line without a label
const CUT = 0.08; // what a line may be the shorter for, as a part of its width, if one long arc less is cut
const SHORT = 3; // how many times as bad it is to cut the arc between neighbours
const ALONE = 0.3; // how bad a line of one word is
const SPARE = 10; // what a label leaves of its line

/**
 * Lay out words and arcs.
 *
 * widths: of words, in order; arcs: {head, word, labelWidth, below}, with words numbered from 1, the root 0;
 * width: what lines are broken at, or Infinity; below: free room under the words; tagHeight: from the feet of the arcs
 * to there; stuck: for each word, whether it would rather not begin a line.
 *
 * Returns {width, height, lines: [{top, base, first, last}], words: [{x, y, line}], segments: [{arc, line, from, to,
 * start, end, labelled, level, height}]}: from < to are the ends of a segment, start and end say whether the arc is
 * open there, labelled whether its label is on it.
 */
export function layout(widths, arcs, width, { below = 0, tagHeight = 40, stuck = [], rightToLeft = false } = {}) {
  const slots = slotsOf(widths.length, arcs);
  const across = spread(widths, arcs, slots, width < NARROW ? 2 / 3 : 1);
  const breaks = broken(across, arcs, width, stuck);
  const lines = breaks.map(([first, last]) => {
    const open = breaks.length > 1 ? EDGE : 2;
    const left = across[first].x - across[first].half - open;
    return { first, last, left, width: across[last].x + across[last].half + open - left };
  });
  const total = Math.max(...lines.map((line) => line.width), 0);
  const segments = segmentsOn(lines, arcs, across, slots);
  let top = 0;
  lines.forEach((line, number) => {
    const here = segments.filter((segment) => segment.line === number);
    const highest = raised(here.filter((segment) => !segment.arc.below));
    const lowest = raised(here.filter((segment) => segment.arc.below));
    const above = highest ? highest + 14 : 6;
    const under = Math.max(lowest ? lowest + 14 : 0, number + 1 < breaks.length ? below * 0.6 : below);
    Object.assign(line, { top, base: top + above, under: top + above + tagHeight });
    top = line.under + under + (number + 1 < lines.length ? 14 : 0);
  });
  const words = across.map(({ x }, index) => {
    const line = lines.findIndex(({ first, last }) => first <= index && index <= last);
    return { x: x - lines[line].left, y: lines[line].base, line, width: widths[index] };
  });
  const found = { width: total, height: top, lines, words, segments };
  return rightToLeft ? mirrored(found) : found;
}

/** The segments and heights of more arcs below the words of a layout, such as those that appear for a while. */
export function arcsBelow({ lines, words, width, rightToLeft }, arcs) {
  const across = words.map(({ x, line }) => ({ x: (rightToLeft ? width - x : x) + lines[line].left, half: 0 }));
  const segments = segmentsOn(lines, arcs, across, new Map());
  lines.forEach((_, number) => levels(segments.filter((segment) => segment.line === number)));
  for (const segment of segments) segment.height = LOW + (segment.level - 1) * TIGHT;
  return rightToLeft ? segments.map((segment) => flipped(segment, width)) : segments;
}

/** The segments of all arcs on all lines, and which of them have labels. */
function segmentsOn(lines, arcs, across, slots) {
  return arcs.flatMap((arc) => {
    const found = lines.map((line, number) => ({ ...segmentOf(arc, line, across, slots), line: number }));
    return withLabels(found.filter(({ arc: here }) => here));
  });
}

/** Put a label where an arc begins or ends and has room for it; without any such room, where there is most of it. */
function withLabels(own) {
  const room = ({ from, to }) => to - from;
  const fits = (one) => one.root || (!(one.start && one.end) && room(one) > one.arc.labelWidth + SPARE);
  const most = own.reduce((best, one) => (best && room(best) >= room(one) ? best : one), null);
  const chosen = own.some(fits) ? own.filter(fits) : [most];
  return own.map((one) => ({ ...one, labelled: chosen.includes(one) }));
}

/** Give the segments of a line their levels and heights, and return the greatest height. */
function raised(segments) {
  const highest = levels(segments);
  const heights = [0, FIRST];
  for (let level = 2; level <= highest; level++) {
    const near = segments.filter((one) => one.level === level || one.level === level - 1);
    const passing = near.every(({ start, end, labelled }) => start && end && !labelled);
    heights.push(heights[level - 1] + (passing ? PASSING : STEP));
  }
  for (const segment of segments) segment.height = heights[segment.level];
  return highest ? heights[highest] : 0;
}

/** Where at a word each arc ends, from its middle: those to the left on the left, the longest in the middle. */
function slotsOf(n, arcs) {
  const ends = Array.from({ length: n + 1 }, () => ({ true: [], false: [] }));
  for (const arc of arcs) {
    for (const [word, other] of [
      [arc.word, arc.head],
      [arc.head, arc.word],
    ]) {
      if (word > 0) ends[word][Boolean(arc.below)].push({ arc, reach: other === 0 ? 0 : other - word });
    }
  }
  const slots = new Map();
  ends.forEach((sides, word) => {
    for (const side of Object.values(sides)) {
      side.sort((a, b) => rank(a.reach) - rank(b.reach));
      side.forEach(({ arc }, place) => slots.set(key(arc, word), (place - (side.length - 1) / 2) * SLOT));
    }
  });
  return slots;
}

/** To the left, the nearest first; then the root; then to the right, the farthest first. */
function rank(reach) {
  return reach === 0 ? 0 : 1 / reach;
}

const numbers = new WeakMap();
let made = 0;

function key(arc, word) {
  if (!numbers.has(arc)) numbers.set(arc, ++made);
  return `${numbers.get(arc)} ${word}`;
}

/** The middle and half the width of each word, all on one line. */
function spread(widths, arcs, slots, scale) {
  const ending = widths.map(() => []);
  const most = widths.map(() => [0, 0]);
  for (const arc of arcs) {
    if (arc.head > 0) ending[Math.max(arc.head, arc.word) - 1].push(arc);
    for (const word of [arc.head, arc.word]) if (word > 0) most[word - 1][arc.below ? 1 : 0]++;
  }
  const placed = [];
  widths.forEach((width, index) => {
    const half = Math.max(width, (Math.max(...most[index]) - 1) * SLOT + 6) / 2;
    const before = placed[index - 1];
    let x = before ? before.x + before.half + GAP * scale + half : half;
    for (const arc of ending[index]) {
      const start = Math.min(arc.head, arc.word);
      const lean = (slots.get(key(arc, index + 1)) ?? 0) - (slots.get(key(arc, start)) ?? 0);
      x = Math.max(x, placed[start - 1].x + arc.labelWidth + MARGIN * scale - lean);
    }
    placed.push({ x, half });
  });
  return placed;
}

/** The first and last word of each line: as full as they can be, but rather broken where few arcs are cut. */
function broken(across, arcs, width, stuck) {
  const n = across.length;
  if (!n) return [];
  const cut = new Array(n + 1).fill(0); // how bad it is for the arcs if a line begins with a word
  for (const { head, word } of arcs) {
    if (head === 0) continue;
    const length = Math.abs(head - word);
    for (let i = Math.min(head, word); i < Math.max(head, word); i++) cut[i] += 1 + SHORT / length;
  }
  const extent = (first, last) => across[last].x + across[last].half - across[first].x + across[first].half;
  if (extent(0, n - 1) <= width - 4) return [[0, n - 1]];
  const room = Math.max(width - 2 * EDGE, 1);
  const best = [{ cost: 0, from: 0 }];
  for (let end = 1; end <= n; end++) {
    best[end] = { cost: Infinity, from: end - 1 };
    for (let first = end - 1; first >= 0; first--) {
      const slack = 1 - extent(first, end - 1) / room;
      if (slack < 0 && first < end - 1) break;
      const line = end === n ? 0.02 : slack * slack + CUT * cut[end] + 0.12 + (stuck[end] ? 0.4 : 0);
      const cost = best[first].cost + line + (end - first === 1 ? ALONE : 0);
      if (cost < best[end].cost) best[end] = { cost, from: first };
    }
  }
  const lines = [];
  for (let end = n; end > 0; end = best[end].from) lines.unshift([best[end].from, end - 1]);
  return lines;
}

/** The part of an arc on a line, or null. */
function segmentOf(arc, { first, last, left, width }, across, slots) {
  const place = (word) => across[word - 1].x - left + (slots.get(key(arc, word)) ?? 0);
  if (arc.head === 0) {
    if (arc.word - 1 < first || arc.word - 1 > last) return null;
    const x = place(arc.word);
    return { arc, root: true, from: x, to: x, start: false, end: false };
  }
  const [low, high] = [Math.min(arc.head, arc.word), Math.max(arc.head, arc.word)];
  if (high - 1 < first || low - 1 > last) return null;
  const start = low - 1 < first;
  const end = high - 1 > last;
  return { arc, from: start ? 2 : place(low), to: end ? width - 2 : place(high), start, end };
}

/** Give each segment its level, and return the highest. */
function levels(segments) {
  const span = ({ arc, root }) => (root ? Infinity : Math.abs(arc.head - arc.word));
  const extent = ({ root, from, to, arc }) =>
    root ? [from - arc.labelWidth / 2, to + arc.labelWidth / 2] : [from, to];
  const placed = [];
  for (const segment of [...segments].sort((a, b) => span(a) - span(b))) {
    const [from, to] = extent(segment);
    let level = 1;
    for (const other of placed)
      if (from < other.to - 1 && other.from < to - 1) level = Math.max(level, other.level + 1);
    placed.push({ from, to, level });
    segment.level = level;
  }
  return placed.reduce((most, { level }) => Math.max(most, level), 0);
}

/** The same from right to left. */
function mirrored({ width, height, lines, words, segments }) {
  return {
    rightToLeft: true,
    width,
    height,
    lines,
    words: words.map((word) => ({ ...word, x: width - word.x })),
    segments: segments.map((segment) => flipped(segment, width)),
  };
}

function flipped({ from, to, start, end, ...rest }, width) {
  return { ...rest, from: width - to, to: width - from, start: end, end: start };
}
