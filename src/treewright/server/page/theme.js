// Light, dark, or as the system has it.

import { html } from "./dom.js";

const NAMES = ["auto", "light", "dark"];

/** Let a button go through the themes; the choice is kept where the browser allows it. */
export function themed(button) {
  const choose = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.replaceChildren(html("span", { class: "what" }, "Theme: "), name);
    return name;
  };
  let current = choose(kept());
  button.addEventListener("click", () => {
    current = choose(NAMES[(NAMES.indexOf(current) + 1) % NAMES.length]);
    try {
      localStorage.setItem("theme", current);
    } catch {
      // Private windows may have no storage: then the choice lasts as long as the page.
    }
  });
}

function kept() {
  try {
    const name = localStorage.getItem("theme");
    return NAMES.includes(name) ? name : "auto";
  } catch {
    return "auto";
  }
}
