"""How long the page takes from a key to the tree, and from a constraint to the tree, in a browser.

    python benchmarks/latency.py

A key is the last letter of the sentence; a constraint fixes an arc by a click.  The time ends when the browser is about
to paint the new tree, so it has all of it: the pause that waits for the next key (8 ms), the request, the parse with
probabilities and alternatives, and the drawing.
"""

from __future__ import annotations

import argparse
import os
import statistics

from in_browser import browser, served, tree

SENTENCE = (
    "When the committee that had been appointed last year finally published its report on the safety of the old "
    "bridges , nobody in the town hall , where the mayor and her advisers had been waiting for weeks , was surprised "
    "to read that three of the five would have to be closed before the winter came , and that the other two , which "
    "carry most of the traffic between the harbour and the hills , would need new cables and"
)

#: Do something, and tell how long it takes until there is another tree that is about to be painted.
MEASURE = """
async ({ text, act }) => {
  const box = document.getElementById("text");
  const room = document.getElementById("tree");
  const say = (value) => { box.value = value; box.setSelectionRange(0, 0); box.dispatchEvent(new Event("input")); };
  const until = (ready) => new Promise((resolve) => {
    const seen = new MutationObserver(() => {
      if (ready()) { seen.disconnect(); requestAnimationFrame(() => resolve(performance.now())); }
    });
    seen.observe(room, { childList: true });
  });
  const last = () => [...room.querySelectorAll(".form")].at(-1)?.textContent;
  const words = text.split(" ");
  const acts = {
    key: async () => {
      const cut = until(() => last() === words.at(-1).slice(0, -1));
      say(text.slice(0, -1));
      await cut;
      const drawn = until(() => last() === words.at(-1));
      const start = performance.now();
      say(text);
      return (await drawn) - start;
    },
    constraint: async () => {
      const arc = [...room.querySelectorAll(".arc")].find((one) => one.arc.word === 2);
      const drawn = until(() => room.querySelector(".required"));
      const start = performance.now();
      arc.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      const taken = (await drawn) - start;
      const freed = until(() => !room.querySelector(".required"));
      document.querySelector("#chips button").click();
      await freed;
      return taken;
    },
  };
  return acts[act]();
}
"""


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="en", help="the model (en)")
    parser.add_argument("--repeats", type=int, default=15, help="measurements of each number (15)")
    options = parser.parse_args()
    print(
        f"{options.model}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; median and 90th percentile, in ms\n"
    )
    print("| words | key to tree | constraint to tree |\n| --- | --- | --- |")
    with served(options.model) as address, browser() as opened:
        page = opened.new_page(viewport={"width": 1440, "height": 1000})
        page.goto(address)
        tree(page)
        for words in (10, 20, 40, 80):
            text = " ".join(SENTENCE.split()[:words])
            cells = []
            for act in ("key", "constraint"):
                times = [page.evaluate(MEASURE, {"text": text, "act": act}) for _ in range(options.repeats + 2)][2:]
                cells.append(f"{statistics.median(times):.0f}, {statistics.quantiles(times, n=10)[-1]:.0f}")
            print(f"| {words} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
