// The tree for elsewhere: CoNLL-U, LaTeX, SVG, PNG, and a link.

import { ask } from "./api.js";
import { html } from "./dom.js";
import { draw } from "./tree.js";

const SCALE = 3; // pixels of a PNG for each on the page

/** What an SVG of its own needs of the style sheet. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "font-family",
  "font-size",
  "font-style",
  "font-weight",
  "text-anchor",
  "letter-spacing",
];

export function copying(bar, page) {
  const makes = {
    conllu: () => ask("/api/parse", page.question({ format: "conllu" })),
    latex: () => ask("/api/parse", page.question({ format: "latex" })),
    svg: () => toSvg(page.sentence),
    link: () => page.link,
  };
  bar.addEventListener("click", async ({ target }) => {
    const what = target.dataset.copy;
    if (!what || !page.sentence) return;
    try {
      const done = what === "png" ? await copyImage(page) : await copyText(await makes[what](), bar);
      page.say(`${target.textContent} ${done}.`);
      target.dataset.done = done;
      setTimeout(() => delete target.dataset.done, 1500);
    } catch (error) {
      page.fail(error);
    }
  });
}

/** Copy a text, or, where the browser does not let a page copy, show it to be copied. */
async function copyText(text, bar) {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    const area = html("textarea", { readonly: true, rows: 8, "aria-label": "Text to copy" });
    area.value = text;
    const close = html("button", { type: "button", click: () => dialog.close() }, "Close");
    const dialog = html("dialog", { class: "copy", "aria-label": "To copy" }, area, close);
    dialog.addEventListener("close", () => dialog.remove());
    bar.append(dialog);
    dialog.showModal();
    area.select();
    return "shown";
  }
}

/** Copy the picture, or save it where images cannot be copied. */
async function copyImage(page) {
  const image = await toPng(page.sentence);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": image })]);
    return "copied";
  } catch {
    const address = URL.createObjectURL(image);
    html("a", { href: address, download: "tree.png" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    return "saved";
  }
}

/** The tree on one line as an SVG file, in the colours of paper, with all styles inside. */
export function toSvg(sentence) {
  const host = html("div", { class: "off", "data-theme": "light" });
  document.body.append(host);
  const { svg } = draw(host, sentence, { still: true, width: Infinity });
  for (const element of svg.querySelectorAll(".hit, .under")) element.remove();
  for (const element of svg.querySelectorAll("path, rect, text, tspan")) {
    const style = getComputedStyle(element);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
  }
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  host.remove();
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const name of ["class", "role", "aria-label", "aria-hidden"]) element.removeAttribute(name);
  }
  return new XMLSerializer().serializeToString(svg);
}

/** The same as pixels, on white. */
async function toPng(sentence) {
  const source = new Blob([toSvg(sentence)], { type: "image/svg+xml" });
  const address = URL.createObjectURL(source);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = html("canvas", { width: image.width * SCALE, height: image.height * SCALE });
    const context = canvas.getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
