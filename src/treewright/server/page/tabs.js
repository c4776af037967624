// Tabs, of which one is open. What is in a tab is made when it is opened, and told of each new answer while it is open.
//
// A panel is a module with `name`, `title`, and `make(root, page)`, which fills an element and returns {update, hover};
// `update` is called now and whenever there is a new answer, `hover` with what is pointed at in the tree, or null.

import { html } from "./dom.js";

export function tabs(bar, room, panels, page, opened) {
  const buttons = panels.map(({ name, title }) =>
    html(
      "button",
      { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": room.id, click: () => open(name) },
      title,
    ),
  );
  bar.replaceChildren(...buttons);
  bar.addEventListener("keydown", (event) => {
    const now = buttons.indexOf(document.activeElement);
    const goal = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (goal === undefined || now < 0) return;
    event.preventDefault();
    const next = (goal + buttons.length) % buttons.length;
    buttons[next].focus();
    open(panels[next].name);
  });
  let current = null;
  let made = null;

  function open(name) {
    const number = panels.findIndex((one) => one.name === name);
    if (number < 0 || current === name) return;
    current = name;
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === number));
      button.tabIndex = i === number ? 0 : -1;
    });
    bar.scrollLeft = buttons[number].offsetLeft - bar.offsetLeft - 32; // on a phone, not all fit
    room.setAttribute("aria-labelledby", `tab-${name}`);
    room.dataset.panel = name;
    made?.close?.();
    room.replaceChildren();
    made = panels[number].make(room, page);
    update();
    opened(name);
  }

  function update() {
    room.hidden = bar.hidden = !page.sentence;
    if (page.sentence) made.update();
  }

  open(panels[0].name);
  return { open, update, hover: (target) => (made.hover ?? panels[0].below)(target, page) };
}
