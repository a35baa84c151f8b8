"use strict";
// Draws the frames below the one that was chosen. All names are set as text.
const root = JSON.parse(document.getElementById("data").textContent);
const graph = document.getElementById("graph");
const detail = document.getElementById("detail");
const search = document.getElementById("search");
const ROW = 23;
const NARROWEST = 0.15; // percent; a narrower frame cannot be seen

function link(frame, outer) {
  frame.outer = outer;
  for (const each of frame.inner) {
    link(each, frame);
  }
}

function seconds(micros) {
  return micros < 1e6 ? `${(micros / 1e3).toFixed(0)} ms` : `${(micros / 1e6).toFixed(1)} s`;
}

function kind(frame, depth) {
  if (depth <= 1) {
    return "lock";
  }
  if (depth === 2 || frame.name.startsWith("for ")) {
    return "who";
  }
  return frame.inner.length === 0 ? "leaf" : "code";
}

// A frame of code without its package.
function brief(name) {
  const parts = /^(?:[\w$]+\.)+([\w$]+\.[\w$<>]+:-?\d+)$/.exec(name);
  return parts ? parts[1] : name;
}

function describe(frame) {
  const share = root.micros ? (100 * frame.micros) / root.micros : 0;
  return `${frame.name}: ${seconds(frame.micros)}, ${share.toFixed(1)} % of all`;
}

function draw(chosen) {
  graph.textContent = "";
  let rows = 0;
  const wanted = search.value.toLowerCase();
  function add(frame, left, width, depth, row) {
    const button = document.createElement("button");
    button.textContent = brief(frame.name);
    button.className = kind(frame, depth);
    if (wanted && frame.name.toLowerCase().includes(wanted)) {
      button.classList.add("found");
    }
    button.title = describe(frame);
    button.style.left = `${left}%`;
    button.style.width = `${width}%`;
    button.style.top = `${row * ROW}px`;
    button.addEventListener("click", () => draw(frame));
    button.addEventListener("mouseenter", () => (detail.textContent = describe(frame)));
    button.addEventListener("focus", () => (detail.textContent = describe(frame)));
    graph.append(button);
    rows = Math.max(rows, row + 1);
  }
  function addInner(frame, left, width, depth, row) {
    let at = left;
    const widest = [...frame.inner].sort((one, other) => other.micros - one.micros);
    for (const each of widest) {
      const share = frame.micros ? (width * each.micros) / frame.micros : 0;
      if (share >= NARROWEST) {
        add(each, at, share, depth, row);
        addInner(each, at, share, depth + 1, row + 1);
      }
      at += share;
    }
  }
  const path = [];
  for (let each = chosen; each; each = each.outer) {
    path.unshift(each);
  }
  path.forEach((each, depth) => add(each, 0, 100, depth, depth));
  addInner(chosen, 0, 100, path.length, path.length);
  graph.style.height = `${rows * ROW}px`;
  detail.textContent = describe(chosen);
  search.oninput = () => draw(chosen);
}

link(root, null);
draw(root);
