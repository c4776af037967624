// What is known of a tree: values that never change, with the names that Constraints.from_dict has for them.

const KINDS = ["required", "forbidden", "labels", "forbidden_labels", "spans", "at_most_one"];

export const NONE = Object.freeze(Object.fromEntries(KINDS.map((kind) => [kind, Object.freeze([])])));

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export function has(constraints, kind, value) {
  return constraints[kind].some((one) => same(one, value));
}

/** All constraints, one by one: [{kind, value}]. */
export function each(constraints) {
  return KINDS.flatMap((kind) => constraints[kind].map((value) => ({ kind, value })));
}

export function without(constraints, kind, value) {
  return { ...constraints, [kind]: constraints[kind].filter((one) => !same(one, value)) };
}

/** One more constraint; what contradicts it on its face gives way. */
export function including(constraints, kind, value) {
  let changed = without(constraints, kind, value);
  if (kind === "required") {
    changed = without(changed, "forbidden", value);
    changed = { ...changed, required: changed.required.filter(([, word]) => word !== value[1]) };
  } else if (kind === "forbidden") {
    changed = without(changed, "required", value);
  } else if (kind === "labels") {
    changed = without(changed, "forbidden_labels", value);
    changed = { ...changed, labels: changed.labels.filter(([head, word]) => word !== value[1] || head !== value[0]) };
  } else if (kind === "forbidden_labels") {
    changed = without(changed, "labels", value);
  }
  return { ...changed, [kind]: [...changed[kind], value] };
}

/** The next state of an arc: free → required → forbidden → free. */
export function cycled(constraints, head, word) {
  const arc = [head, word];
  if (has(constraints, "required", arc)) return including(constraints, "forbidden", arc);
  if (has(constraints, "forbidden", arc)) return without(constraints, "forbidden", arc);
  return including(constraints, "required", arc);
}

/** What to send: without what is empty; null if there are none. */
export function plain(constraints) {
  const given = KINDS.filter((kind) => constraints[kind].length);
  return given.length ? Object.fromEntries(given.map((kind) => [kind, constraints[kind]])) : null;
}

/** Constraints that somebody else wrote, such as those of a link: what has not their form is left out. */
export function read(described) {
  if (typeof described !== "object" || described === null) return NONE;
  const number = (value) => Number.isInteger(value) && value >= 0 && value < 10_000;
  const name = (value) => typeof value === "string" && value.length <= 60;
  const forms = {
    required: [number, number],
    forbidden: [number, number],
    labels: [(head) => head === null || number(head), number, name],
    forbidden_labels: [(head) => head === null || number(head), number, name],
    spans: [number, number],
  };
  const fits = (kind, value) =>
    kind === "at_most_one"
      ? name(value)
      : Array.isArray(value) && value.length === forms[kind].length && value.every((one, i) => forms[kind][i](one));
  const list = (kind) => (Array.isArray(described[kind]) ? described[kind].slice(0, 500) : []);
  return Object.fromEntries(KINDS.map((kind) => [kind, list(kind).filter((value) => fits(kind, value))]));
}

/** The words that a constraint is about. */
function wordsOf({ kind, value }) {
  return kind === "at_most_one" ? [] : kind.endsWith("labels") ? value.slice(0, 2) : value;
}

/** Carry constraints over to a sentence that was edited: those on words that are gone are gone. */
export function moved(constraints, before, after) {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before[prefix] === after[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && before[before.length - 1 - suffix] === after[after.length - 1 - suffix]) suffix++;
  const goal = (word) => {
    if (word === null || word <= prefix) return word;
    return word > before.length - suffix ? word + after.length - before.length : undefined;
  };
  const kept = { ...NONE };
  for (const one of each(constraints)) {
    if (wordsOf(one).some((word) => goal(word) === undefined)) continue;
    const count = wordsOf(one).length;
    const value = count ? one.value.map((part, i) => (i < count ? goal(part) : part)) : one.value;
    kept[one.kind] = [...kept[one.kind], value];
  }
  return kept;
}

/** A constraint in the words of a sentence. */
export function sayConstraint({ kind, value }, sentence) {
  const form = (id) => (id === 0 ? "root" : (sentence.words[id - 1]?.form ?? `word ${id}`));
  const arc = (head, word) => (head === null ? form(word) : `${form(head)} → ${form(word)}`);
  const says = {
    required: () => arc(...value),
    forbidden: () => `not ${arc(...value)}`,
    labels: () => `${arc(value[0], value[1])} is ${value[2]}`,
    forbidden_labels: () => `${arc(value[0], value[1])} is not ${value[2]}`,
    spans: () => `subtree “${extract(sentence, ...value)}”`,
    at_most_one: () => `at most one ${value}`,
  };
  return says[kind]();
}

function extract({ words }, first, last) {
  const forms = words.slice(first - 1, last).map(({ form }) => form);
  return forms.length > 5 ? `${forms[0]} ${forms[1]} … ${forms.at(-1)}` : forms.join(" ");
}
