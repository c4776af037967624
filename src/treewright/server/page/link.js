// Permalinks: all that a person chose, in the fragment of the address, which no server ever sees.

import * as constraints from "./constraints.js";

/** The fragment for a state {text, model, index, constraints, tab}. */
export function written({ text, model, index, constraints: known, tab }) {
  const fields = new URLSearchParams();
  if (text) fields.set("s", text);
  if (model) fields.set("m", model);
  if (index) fields.set("i", index);
  if (tab) fields.set("v", tab);
  const given = known.map(constraints.plain);
  if (given.some(Boolean)) fields.set("c", JSON.stringify(given));
  return `#${fields}`;
}

/** The state of a fragment; what is missing or wrong there is left out. */
export function readLink(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  return {
    text: fields.get("s") ?? undefined,
    model: fields.get("m") ?? undefined,
    index: Math.max(Number.parseInt(fields.get("i") ?? "0", 10) || 0, 0),
    tab: fields.get("v") ?? undefined,
    constraints: readConstraints(fields.get("c")),
  };
}

function readConstraints(text) {
  try {
    const described = JSON.parse(text ?? "[]");
    return Array.isArray(described) ? described.slice(0, 1000).map(constraints.read) : [];
  } catch {
    return [];
  }
}
