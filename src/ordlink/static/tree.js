"use strict";
// Draws every figure.tree of the page from its data; branches dissolve, fold and zoom.

(() => {
  const FIRM = 0.95, WEAK = 0.5;
  const MOST_MEMBERS = 60, MOST_ROWS = 2000;

  const fill = (element, attributes, children) => {
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const html = (name, attributes = {}, ...children) =>
    fill(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
  const whole = (share) => Math.floor(100 * share + 1e-9);
  const percent = (share) => (share === null ? "unknown" : `${whole(share)} %`);
  const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  class Tree {
    constructor(figure, data) {
      this.figure = figure;
      this.data = data;
      this.n = data.names.length;
      this.root = this.current = 2 * this.n - 2;
      this.folded = new Set();
      this.zoom = 1;
      this.threshold = data.threshold / 100;
      this.measure();
      this.foldTo(data.rows ?? Infinity, [this.root]);
      this.build();
      this.draw();
    }

    support(node) { return node < this.n ? null : this.data.support[node - this.n]; }

    // The objects under a node are a slice of the order of the leaves.
    measure() {
      const { merges } = this.data;
      this.sizes = this.data.names.map(() => 1);
      for (const [left, right] of merges) this.sizes.push(this.sizes[left] + this.sizes[right]);
      this.starts = new Array(this.sizes.length).fill(0);
      for (let t = merges.length - 1; t >= 0; t--) {
        const [left, right] = merges[t];
        this.starts[left] = this.starts[this.n + t];
        this.starts[right] = this.starts[left] + this.sizes[left];
      }
      this.order = new Array(this.n);
      for (let i = 0; i < this.n; i++) this.order[this.starts[i]] = i;
    }

    // The names of the first objects under a node.
    names(node, most) {
      const start = this.starts[node];
      const end = start + Math.min(this.sizes[node], most);
      return this.order.slice(start, end).map((i) => this.data.names[i]);
    }

    // Opens the largest branches under the nodes `open` up to so many rows, and folds the others.
    foldTo(rows, open) {
      const waiting = open.filter((node) => node >= this.n);
      let shown = open.length;
      while (waiting.length && shown < rows) {
        let largest = 0;
        for (let i = 1; i < waiting.length; i++) {
          if (this.sizes[waiting[i]] > this.sizes[waiting[largest]]) largest = i;
        }
        const [node] = waiting.splice(largest, 1);
        this.folded.delete(node);
        const children = this.data.merges[node - this.n];
        shown += children.length - 1;
        waiting.push(...children.filter((child) => child >= this.n));
      }
      for (const node of waiting) this.folded.add(node);
    }

    // Children of a node once weak branches are dissolved.
    children(node) {
      if (node < this.n) return [];
      return this.data.merges[node - this.n].flatMap((child) => {
        const support = this.support(child);
        const dissolves = child >= this.n && support !== null && support < this.threshold;
        return dissolves ? this.children(child) : [child];
      });
    }

    build() {
      const button = (label, text, action) => {
        const element = html("button", { type: "button", "aria-label": label, title: label }, text);
        element.addEventListener("click", action);
        return element;
      };
      this.slider = html("input", {
        type: "range", min: this.data.threshold, max: "100", id: `${this.figure.id}-slider`,
      });
      this.slider.value = this.data.threshold;
      this.output = html("output", { for: this.slider.id });
      this.slider.addEventListener("input", () => {
        this.threshold = Number(this.slider.value) / 100;
        this.draw();
      });
      const known = this.data.support.some((share) => share !== null);
      const label = html("label", { for: this.slider.id }, "Show branches with support of at least ");
      const choose = html("span", { class: "choose" }, label, this.slider, this.output);
      const bar = html("div", { class: "tree-bar screen-only" },
        html("span", { class: "buttons", role: "group", "aria-label": "Zoom" },
          button("Zoom out", "−", () => this.setZoom(this.zoom / 1.25)),
          button("Zoom in", "+", () => this.setZoom(this.zoom * 1.25)),
          button("Fit to the width", "Width", () => this.setZoom(1)),
          button("Show the whole tree", "Fit", () => this.showAll())),
        html("span", { class: "buttons", role: "group", "aria-label": "Branches" },
          button("Fold all branches", "Fold", () => this.foldAll()),
          button("Unfold all branches", "Unfold", () => this.unfoldAll())),
        ...(known ? [choose] : []));
      this.box = html("div", { class: "tree-box" });
      this.info = html("div", { class: "tree-info screen-only", "aria-live": "polite" },
        "Click a branch or press Enter to fold it; point at it to see its objects. Arrow keys move"
        + " between branches; + and −, or Ctrl and the wheel, zoom.");
      this.figure.prepend(bar, this.box, this.info);
      this.box.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // the page scrolls as everywhere
        event.preventDefault();
        this.setZoom(this.zoom * Math.exp(-event.deltaY / 400));
      }, { passive: false });
      this.box.addEventListener("keydown", (event) => this.onKey(event));
      let width = 0;
      new ResizeObserver(() => {
        const now = this.box.clientWidth;
        if (Math.abs(now - width) > 1) { width = now; this.draw(); }
      }).observe(this.box);
    }

    showAll() {
      const highest = parseFloat(getComputedStyle(this.box).maxHeight); // in pixels
      this.setZoom(Math.min(1, (highest - 2) / this.height)); // less its borders
      this.box.scrollTo(0, 0);
    }

    setZoom(zoom) {
      this.zoom = Math.min(6, Math.max(0.05, zoom));
      this.svg.style.width = `${this.width * this.zoom}px`;
      this.svg.style.height = `${this.height * this.zoom}px`;
    }

    foldAll() {
      this.folded = new Set(this.children(this.root).filter((child) => child >= this.n));
      this.draw();
    }

    unfoldAll() {
      this.folded.clear();
      this.foldTo(this.data.rows ? MOST_ROWS : Infinity, [this.root]);
      this.draw();
    }

    toggle(node) {
      if (node < this.n || node === this.root) return;
      if (!this.folded.delete(node)) this.folded.add(node);
      else this.foldTo(this.data.rows ?? Infinity, [node]);
      this.current = node;
      const hadFocus = this.svg.contains(document.activeElement);
      this.draw();
      if (hadFocus) this.focus(node);
      this.show(node);
    }

    // Rows and places of all visible nodes.
    layout() {
      this.rows = new Map();
      this.visible = [];
      let row = 0;
      const place = (node, level, parent) => {
        const entry = { node, level, parent, children: [], folded: this.folded.has(node) };
        this.visible.push(entry);
        this.rows.set(node, entry);
        if (node < this.n || entry.folded) {
          entry.row = row++;
        } else {
          entry.children = this.children(node).map((child) => place(child, level + 1, entry));
          entry.row = (entry.children[0].row + entry.children.at(-1).row) / 2;
        }
        return entry;
      };
      place(this.root, 1, null);
      this.nRows = row;
    }

    draw() {
      this.layout();
      const { pictures } = this.data;
      const rowHeight = pictures ? 46 : 19;
      const pictureWidth = pictures ? 76 : 0;
      const longest = Math.max(...this.visible.map((e) => this.label(e).length));
      const available = Math.max(this.box.clientWidth || 900, 300);
      const labelWidth = Math.min(longest * 7.6 + 18, available * 0.5) + pictureWidth;
      const treeWidth = Math.max(Math.min(available, 1150) - labelWidth - 34, 150);
      this.width = treeWidth + labelWidth + 34;
      this.height = this.nRows * rowHeight + (this.data.heights ? 52 : 16);
      const ranks = this.visible.filter((e) => e.node >= this.n).map((e) => e.node).sort((a, b) => a - b);
      const rankOf = new Map(ranks.map((node, place) => [node, place + 1]));
      const { heights } = this.data; // dissimilarities, or null: then by merge order
      const share = (node) => heights
        ? heights[node - this.n] / heights.at(-1)
        : rankOf.get(node) / Math.max(ranks.length, 1);
      const x = (entry) => entry.node < this.n || entry.folded
        ? 24 + treeWidth
        : 24 + treeWidth * (1 - share(entry.node));
      const y = (entry) => 8 + (entry.row + 0.5) * rowHeight;
      const scrolled = [this.box.scrollLeft, this.box.scrollTop];
      this.svg = svg("svg", {
        viewBox: `0 0 ${this.width} ${this.height}`, role: "tree",
        "aria-label": `The tree of ${this.n} objects`,
      });
      const letters = Math.floor((labelWidth - pictureWidth - 8) / 7.2);
      for (const entry of this.visible) this.drawNode(entry, x, y, letters, pictureWidth);
      if (heights) this.drawAxis(treeWidth, heights.at(-1));
      this.box.replaceChildren(this.svg);
      this.box.scrollTo(...scrolled);
      this.setZoom(this.zoom);
      this.output.textContent = this.slider.value === "0" ? "any" : `${this.slider.value} %`;
      if (!this.rows.has(this.current)) this.current = this.root;
      this.element(this.current).setAttribute("tabindex", "0");
    }

    // The axis below the tree: what lengths mean.
    drawAxis(treeWidth, top) {
      const line = this.height - 38;
      const at = (height) => 24 + treeWidth * (1 - height / top);
      const axis = svg("g", { class: "axis" }, svg("path", { d: `M${at(top)} ${line}H${at(0)}` }));
      const step = top > 1.2 ? 10 ** Math.floor(Math.log10(top / 2)) : top > 0.5 ? 0.2 : top > 0.2 ? 0.1 : top / 2;
      for (let height = 0; height <= top + 1e-9; height += step) {
        axis.append(
          svg("path", { d: `M${at(height)} ${line}v4` }),
          svg("text", { x: at(height), y: line + 15 }, String(Number(height.toPrecision(2)))));
      }
      axis.append(svg("text", { x: 24 + treeWidth / 2, y: line + 31 },
        this.data.heightLabel ?? "probability of being judged less alike than a random pair"));
      this.svg.append(axis);
    }

    element(node) { return this.svg.querySelector(`[data-node="${node}"]`); }

    drawNode(entry, x, y, letters, pictureWidth) {
      const { node, parent } = entry;
      const support = node === this.root ? 1 : this.support(node);
      const strength = support === null ? "plain"
        : support >= FIRM ? "firm" : support < WEAK ? "weak" : "likely";
      const group = svg("g", {
        class: `node ${node < this.n ? "leaf" : "branch"} ${strength}`,
        role: "treeitem", "aria-level": entry.level, "data-node": node, tabindex: "-1",
        "aria-label": this.describe(node),
      });
      this.svg.append(group);
      const add = (name, attributes, ...text) => group.append(svg(name, attributes, ...text));
      if (node >= this.n) group.setAttribute("aria-expanded", String(!entry.folded));
      const [at, level] = [x(entry), y(entry)];
      const stem = `M${parent ? x(parent) : at - 14} ${level}H${at}`;
      // A leaf takes the strength of its parent.
      const isWeak = node < this.n && parent && parent.node !== this.root
        && (this.support(parent.node) ?? 1) < WEAK;
      add("path", { class: isWeak ? "line weak" : "line", d: stem });
      let bar = "";
      if (entry.children.length) {
        bar = `M${at} ${y(entry.children[0])}V${y(entry.children.at(-1))}`;
        add("path", { class: "line", d: bar });
      }
      if (entry.folded) add("path", { class: "folded", d: `M${at - 22} ${level}l22 -7v14z` });
      add("path", { class: "hit", d: stem + bar });
      if (node !== this.root && support !== null) {
        const place = entry.folded ? at - 22 : at;
        if (strength === "firm") {
          add("circle", { class: "dot", cx: place, cy: level, r: 3.6 });
        } else {
          const where = { x: place - 3, y: level - 3, "text-anchor": "end" };
          add("text", { class: "support", ...where }, String(whole(support)));
        }
      }
      if (node < this.n || entry.folded) {
        const picture = this.data.pictures?.[this.order[this.starts[node]]];
        if (picture) {
          const scale = Math.min(42 / picture.height, (pictureWidth - 6) / picture.width);
          const [width, height] = [picture.width * scale, picture.height * scale];
          add("image", { href: picture.uri, x: at + 5, y: level - height / 2, width, height });
        }
        add("text", { class: "name", x: at + 6 + pictureWidth, y: level + 4.5 },
          shorten(this.label(entry), Math.max(letters, 6)));
      }
      group.addEventListener("click", () => this.toggle(node));
      group.addEventListener("pointerenter", () => this.show(node));
      group.addEventListener("focus", () => { this.current = node; this.show(node); });
    }

    branchName(node) { return this.data.branchNames?.[node - this.n] ?? ""; }

    label(entry) {
      if (entry.node < this.n) return this.data.names[entry.node];
      if (!entry.folded) return "";
      const [size, name] = [this.sizes[entry.node], this.branchName(entry.node)];
      if (name) return `${name} (${size} objects)`;
      return `${size} objects: ${this.names(entry.node, 3).join(", ")}${size > 3 ? ", …" : ""}`;
    }

    describe(node) {
      if (node < this.n) return this.data.names[node];
      const [size, name] = [this.sizes[node], this.branchName(node)];
      const some = this.names(node, 8).join(", ") + (size > 8 ? ", and others" : "");
      const support = node === this.root ? "the root" : `support ${percent(this.support(node))}`;
      return `Branch ${name ? `${name} ` : ""}of ${size} objects, ${support}: ${some}`;
    }

    describeSupport(node) {
      const { shares, transfers } = this.data;
      return ` · support ${percent(this.support(node))}`
        + (shares ? ` · exactly this branch in ${percent(shares[node - this.n])} of bootstrap samples` : "")
        + (transfers ? ` · transfer support ${percent(transfers[node - this.n])}` : "");
    }

    show(node) {
      for (const element of this.svg.querySelectorAll(".lit")) element.classList.remove("lit");
      const entry = this.rows.get(node);
      if (!entry) return;
      const light = (one) => {
        this.element(one.node).classList.add("lit");
        one.children.forEach(light);
      };
      light(entry);
      const names = this.names(node, MOST_MEMBERS);
      let [title, rest] = [names[0], ""];
      if (node >= this.n) {
        const isRoot = node === this.root;
        const name = this.branchName(node);
        title = `${name ? `${name}: ` : ""}${isRoot ? "all " : ""}${this.sizes[node]} objects`;
        title = title[0].toUpperCase() + title.slice(1);
        const score = this.data.scores[node - this.n];
        const more = this.sizes[node] - MOST_MEMBERS;
        rest = (isRoot ? "" : this.describeSupport(node))
          + (score === null ? "" : ` · score ${Number(score.toPrecision(4))}`)
          + (this.data.tied[node - this.n] ? " · decided by a tie" : "")
          + ` · ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
      }
      this.info.replaceChildren(html("strong", {}, title), rest);
    }

    focus(node) {
      const element = this.element(node);
      if (!element) return;
      this.svg.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
      element.setAttribute("tabindex", "0");
      element.focus();
    }

    onKey(event) {
      const entry = this.rows.get(this.current);
      if (!entry || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = this.visible.indexOf(entry);
      const moves = {
        ArrowDown: () => this.visible[place + 1],
        ArrowUp: () => this.visible[place - 1],
        ArrowLeft: () => entry.parent,
        ArrowRight: () => entry.children[0],
        Home: () => this.visible[0],
        End: () => this.visible.at(-1),
        Enter: () => this.toggle(this.current),
        " ": () => this.toggle(this.current),
        "+": () => this.setZoom(this.zoom * 1.25),
        "=": () => this.setZoom(this.zoom * 1.25),
        "-": () => this.setZoom(this.zoom / 1.25),
      };
      if (!(event.key in moves)) return;
      const next = moves[event.key]();
      if (next) this.focus(next.node);
      event.preventDefault();
    }
  }

  for (const figure of document.querySelectorAll("figure.tree")) {
    const source = document.getElementById(figure.dataset.source);
    new Tree(figure, JSON.parse(source.textContent));
  }
})();
