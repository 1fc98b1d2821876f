"use strict";
const part = (id) => document.getElementById(id);
let trees = null;

function show() {
  const tree = trees && (part("everybody").checked ? trees.everybody : trees.kept);
  part("tree").textContent = tree ? tree.newick : "There are no answers yet.";
}

async function refresh() {
  try {
    const [overview, newest] = await Promise.all(
      ["/owner/api/overview", "/owner/api/tree"].map(async (path) => (await fetch(path)).json()));
    part("state").textContent = overview.state;
    part("n-answers").textContent = overview.n_answers;
    part("cost").textContent = `${overview.cost} ${overview.currency}`;
    part("n-stable").textContent = overview.n_stable;
    trees = newest;
    show();
  } catch { /* tried again */ }
  setTimeout(refresh, 3000);
}

part("everybody").addEventListener("change", show);
refresh();
