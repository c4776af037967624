// The k best trees as small multiples: what each has that the best one has not is marked.

import { latest } from "./api.js";
import * as known from "./constraints.js";
import { count, fitted, html, percent } from "./dom.js";
import { draw } from "./tree.js";

export const name = "kbest";
export const title = "Best trees";

const SIZES = [4, 9, 16, 36];

export function make(root, page) {
  const ask = latest();
  const grid = html("div", { class: "multiples" });
  const size = html(
    "select",
    { "aria-label": "How many of the best trees", change: () => update() },
    SIZES.map((k) => html("option", { value: k, selected: k === 9 }, String(k))),
  );
  const note = html("p", { class: "hint" });
  root.append(html("div", { class: "row" }, html("label", {}, "The best ", size, " trees"), note), grid);

  async function update() {
    if (page.model.probabilities === false) {
      note.textContent = "This model has no k best trees: probabilities are intractable for it.";
      return grid.replaceChildren();
    }
    try {
      const answer = await ask("/api/parse", page.question({ confidence: true, k: Number(size.value) }));
      if (answer) show(answer.sentences[0]);
    } catch (error) {
      grid.replaceChildren();
      note.textContent = error.message;
    }
  }

  function show(sentence) {
    const trees = sentence.k_best ?? [];
    const mass = trees.reduce((sum, { tree_p }) => sum + (tree_p ?? 0), 0);
    note.textContent =
      trees.length && trees[0].tree_p !== undefined
        ? `Together ${percent(mass)} probable. Each marks what the first has not.`
        : "";
    grid.replaceChildren(...trees.map((tree, i) => card(tree, i, trees[0])));
    const boxes = trees.map((tree, i) => grid.children[i].querySelector(".small"));
    if (trees.length) grid.style.setProperty("--columns", columns(boxes[0], trees[0]));
    trees.forEach((tree, i) => picture(boxes[i], tree, trees[0]));
  }

  /** As many columns as let the trees be readable. */
  function columns(box, tree) {
    const whole = draw(box, plain(tree), { still: true, tags: false, width: Infinity }).layout.width;
    return Math.max(1, Math.min(3, Math.floor(grid.clientWidth / Math.max(whole * 0.62, 320))));
  }

  function card(tree, i, best) {
    const new_arcs = arcsThatDiffer(tree, best);
    const take = () =>
      page.constrain(new_arcs.reduce((all, arc) => known.including(all, "required", arc), page.constraints));
    const said = i === 0 ? "the best tree" : differences(tree, best);
    return html(
      "figure",
      {},
      html("figcaption", {}, html("b", {}, `${i + 1}`), ` ${percent(tree.tree_p)} `, html("span", {}, said)),
      html("div", { class: "small" }),
      new_arcs.length
        ? html(
            "button",
            {
              type: "button",
              class: "toggle",
              click: take,
              "aria-label": `fix these arcs, which tree ${i + 1} has and the best has not`,
            },
            "fix these arcs",
          )
        : null,
    );
  }

  return { update };
}

function arcsThatDiffer(tree, best) {
  return tree.words.filter(({ head }, i) => head !== best.words[i].head).map(({ head, id }) => [head, id]);
}

function differences(tree, best) {
  const heads = arcsThatDiffer(tree, best).length;
  const labels = tree.words.filter(
    ({ head, deprel }, i) => head === best.words[i].head && deprel !== best.words[i].deprel,
  ).length;
  return [heads && count(heads, "other head"), labels && count(labels, "other relation")].filter(Boolean).join(", ");
}

/** Draw a tree as small as its card. */
function picture(box, tree, best) {
  const differs = ({ head, word }) => best.words[word - 1].head !== head;
  const relabelled = ({ word, label }) => best.words[word - 1].deprel !== label;
  const { svg } = draw(box, plain(tree), {
    still: true,
    tags: false,
    width: box.clientWidth * 1.62,
    label: `Tree with probability ${percent(tree.tree_p)}`,
    arcClass: (arc) => (differs(arc) ? "different" : relabelled(arc) ? "different renamed" : "same"),
  });
  fitted(svg, box.clientWidth);
}

/** A tree without its probabilities and tags. */
function plain({ words }) {
  return { words: words.map(({ id, form, head, deprel }) => ({ id, form, head, deprel })) };
}
