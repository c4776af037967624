// Elements, made by code: what users type becomes text nodes and attributes, and never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an HTML element. Attributes that are functions listen to events; those that are null or false are left out. */
export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Make an SVG element, likewise. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A probability as people read it: "98 %", "0.4 %", "< 0.1 %". */
export function percent(p) {
  if (p === undefined || p === null) return "";
  const hundred = p * 100;
  if (hundred >= 99.95) return "100 %";
  if (hundred >= 1 && hundred < 99) return `${Math.round(hundred)} %`;
  if (hundred < 0.05) return hundred > 0 ? "< 0.1 %" : "0 %";
  return `${hundred.toFixed(1)} %`;
}

/** "1 word", "2 words". */
export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** Make a drawing smaller so that it fits a room, but not smaller than `least` of its size; whether it fits. */
export function fitted(drawing, room, least = 0) {
  const width = Number(drawing.getAttribute("width"));
  const scale = Math.min(1, room / width);
  drawing.setAttribute("width", Math.round(width * Math.max(scale, least)));
  drawing.removeAttribute("height");
  return scale >= least;
}
