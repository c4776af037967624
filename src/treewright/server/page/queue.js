// The list of sentences: those that come next, or those that are done.

import { html } from "./dom.js";

/** List what the server has answered; `open` shows a sentence. */
export function fill(root, rest, { queue, total }, open) {
  root.replaceChildren(...queue.map((one) => row(one, open)));
  const more = total - queue.length;
  rest.textContent = more > 0 ? `and ${more.toLocaleString("en")} more` : queue.length ? "" : "None.";
}

function row({ sentence, text, doubt }, open) {
  const about = { type: "button", "data-sentence": sentence, title: text, click: () => open(sentence) };
  const number = html("span", { class: "doubt" }, doubt === null ? "" : doubt.toFixed(2));
  return html("li", {}, html("button", about, html("span", { class: "text" }, text), number));
}

/** Mark the sentence that is shown. */
export function mark(root, sentence) {
  for (const one of root.querySelectorAll("button"))
    one.setAttribute("aria-current", String(Number(one.dataset.sentence) === sentence));
}

/** Let two buttons choose between what is to be done and what is done. */
export function choosing(todo, done, chosen) {
  for (const [button, isDone] of [
    [todo, false],
    [done, true],
  ])
    button.addEventListener("click", () => {
      todo.setAttribute("aria-pressed", String(!isDone));
      done.setAttribute("aria-pressed", String(isDone));
      chosen(isDone);
    });
}
