"use strict";
// Charts: a pointer over one, or the arrow keys on it, read the values of the table behind it.
for (const figure of document.querySelectorAll("figure[data-column]")) {
  const svg = figure.querySelector("svg");
  const table = figure.closest(".charted").querySelectorAll("table")[figure.dataset.table];
  const points = [...table.tBodies[0].rows]
    .map((row) => ({ x: +row.dataset.x, at: row.cells[0].textContent, value: row.cells[figure.dataset.column].textContent }))
    .filter((point) => point.value);
  if (!points.length) continue;
  const told = document.createElement("output");
  told.setAttribute("aria-live", "polite");
  svg.before(told);
  const line = document.createElementNS(svg.namespaceURI, "line");
  line.classList.add("cursor");
  svg.append(line);
  let shown = -1;
  const show = (index) => {
    shown = Math.max(-1, Math.min(index, points.length - 1));
    const point = points[shown];
    told.textContent = point ? `${point.at}: ${point.value}` : "";
    line.style.display = point ? "" : "none";
    if (!point) return;
    for (const [name, value] of [["x1", point.x], ["x2", point.x], ["y1", 0], ["y2", figure.dataset.height]]) line.setAttribute(name, value);
  };
  show(-1);
  svg.tabIndex = 0;
  svg.addEventListener("pointermove", (event) => {
    const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const away = (index) => Math.abs(points[index].x - x);
    show(points.reduce((best, _, index) => (away(index) < away(best) ? index : best), 0));
  });
  svg.addEventListener("pointerleave", () => show(-1));
  svg.addEventListener("blur", () => show(-1));
  svg.addEventListener("keydown", (event) => {
    const to = { ArrowRight: shown + 1, ArrowLeft: Math.max(0, shown - 1), Home: 0, End: points.length - 1, Escape: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
}
// Evidence: the entries that hold the words asked for, in the order asked for.
const list = document.getElementById("observations");
if (list && list.children.length > 1) {
  const entries = [...list.children].map((node, index) => ({ node, index, text: node.textContent.toLowerCase(), ...node.dataset }));
  const control = (label, input) => {
    const box = document.createElement("label");
    box.append(label, input);
    return box;
  };
  const words = document.createElement("input");
  words.type = "search";
  const order = document.createElement("select");
  for (const [value, text] of [["index", "number"], ["at", "time"], ["kind", "kind"], ["place", "place"]]) order.add(new Option(text, value));
  const count = document.createElement("output");
  const arrange = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const by = order.value;
    const compare = (a, b) => (by === "index" ? 0 : a[by].localeCompare(b[by], "en", { numeric: true })) || a.index - b.index;
    list.append(...entries.toSorted(compare).map((entry) => entry.node));
    for (const entry of entries) entry.node.hidden = !wanted.every((word) => entry.text.includes(word));
    const left = entries.filter((entry) => !entry.node.hidden).length;
    count.textContent = left < entries.length ? `${left} of ${entries.length}` : "";
  };
  words.addEventListener("input", arrange);
  order.addEventListener("change", arrange);
  const tools = document.createElement("p");
  tools.className = "tools";
  tools.append(control("Show those with ", words), control("sorted by ", order), count);
  list.before(tools);
  // A citation leads to its observation, open, whatever was filtered.
  const follow = () => {
    const target = /^#o\d+$/.test(location.hash) && document.querySelector(location.hash);
    if (!target) return;
    if (target.hidden) words.value = "";
    arrange();
    target.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
}
