// The page: runs a simulation, draws it, and answers queries about it.

import { findPairs, hasSimd, load, Simulation } from "./hexphase/index.js";

/** The length of a side of the world. */
const SIDE = 1000;
/** Radius in pixels within which a drag is a click. */
const CLICK = 4;
/** The number of discs that a click finds. */
const NEAREST = 8;
/** The most objects with which brute force runs. */
const BRUTE = 10000;
/** Names of structures. */
const STRUCTURES = { hshg: "hierarchical grid", brute: "brute force" };
/** Milliseconds of a frame for ticks, if the simulation runs up to a tick. */
const BUDGET = 12;

const element = (id) => document.getElementById(id);
const form = element("controls");
const [picture, overlay] = [element("picture"), element("overlay")];
const pictureContext = picture.getContext("2d");
const overlayContext = overlay.getContext("2d");

let memory;
let simulation;
let tick = 0;
let running = true;
/** The tick at which the simulation pauses. */
let stop = Infinity;
/** Mean times of the parts of a tick. */
let times = {};
let lastFrame = 0;
/** The cursor, which is shown once keys have moved it, and a drag that has begun. */
let cursor = [SIDE / 2, SIDE / 2];
let usesKeys = false;
let drag;
/** The query that is repeated after each tick: its kind, and two corners or a point. */
let query;

/** Returns the settings of the controls that determine the simulation. */
function settings() {
  const value = (name) => form.elements[name].value;
  return {
    seed: Number(value("seed")) >>> 0,
    objects: Number(value("objects")),
    sizes: value("sizes"),
    structure: value("structure"),
    speed: Number(value("speed")),
    static: Number(value("static")),
    wraps: form.elements.wraps.checked,
  };
}

/** Sets the controls from the address. */
function readAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  for (const [name, text] of address) {
    const control = form.elements[name];
    if (control instanceof HTMLInputElement && control.type === "checkbox") {
      control.checked = text === "true";
    } else if (control instanceof HTMLSelectElement || control instanceof HTMLInputElement) {
      const before = control.value;
      control.value = text;
      if (control.value === "") {
        control.value = before;
      }
    }
  }
  const last = Number(address.get("stop"));
  stop = last > 0 ? last : Infinity;
}

/** Writes the settings into the address. */
function writeAddress() {
  const address = new URLSearchParams(settings());
  if (stop < Infinity) {
    address.set("stop", stop);
  }
  history.replaceState(null, "", `#${address}`);
}

function restart() {
  const { seed, objects, sizes, structure, speed, static: resting, wraps } = settings();
  form.elements.structure.querySelector("[value=brute]").disabled = objects > BRUTE;
  const used = structure === "brute" && objects > BRUTE ? "auto" : structure;
  form.elements.structure.value = used;
  simulation?.free();
  simulation = new Simulation(seed, objects, used, sizes, speed, resting / 100, wraps);
  [tick, times] = [0, {}];
  element("hash").textContent = "";
  setRunning(true);
  writeAddress();
}

function setRunning(on) {
  running = on;
  element("run").textContent = on ? "Pause" : "Run";
  if (!on) {
    showHash();
  }
}

function showHash() {
  element("hash").textContent = `${simulation.hash()} at tick ${tick}`;
}

/** Calls a function and adds its time to the mean of a part. */
function timed(part, call) {
  const begin = performance.now();
  const result = call();
  const time = performance.now() - begin;
  times[part] = times[part] === undefined ? time : times[part] * 0.95 + time * 0.05;
  return result;
}

function runTick() {
  timed("advance", () => simulation.advance());
  timed("step", () => simulation.step());
  timed("bounce", () => simulation.bounce());
  tick += 1;
  if (tick % 500 === 0) {
    showHash();
  }
  if (tick === stop) {
    setRunning(false);
  }
}

/** Returns a color of the style sheet, as a number for the module. */
function color(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return (red | (green << 8) | (blue << 16) | (255 << 24)) >>> 0;
}

function draw() {
  const pixels = Math.max(1, Math.min(2000, Math.round(overlay.clientWidth * devicePixelRatio)));
  if (picture.width !== pixels) {
    picture.width = picture.height = overlay.width = overlay.height = pixels;
  }
  const colors = ["--world", "--free", "--touching", "--resting"].map(color);
  const at = simulation.draw(pixels, ...colors);
  const bytes = new Uint8ClampedArray(memory.buffer, at, pixels * pixels * 4);
  pictureContext.putImageData(new ImageData(bytes, pixels, pixels), 0, 0);
}

/** Draws lines of four numbers each. */
function drawLines(lines) {
  overlayContext.beginPath();
  for (let at = 0; at < lines.length; at += 4) {
    overlayContext.moveTo(lines[at], lines[at + 1]);
    overlayContext.lineTo(lines[at + 2], lines[at + 3]);
  }
  overlayContext.stroke();
}

function drawOverlay() {
  const style = getComputedStyle(document.documentElement);
  const paint = (name) => style.getPropertyValue(name).trim();
  const scale = overlay.width / SIDE;
  overlayContext.setTransform(1, 0, 0, 1, 0, 0);
  overlayContext.clearRect(0, 0, overlay.width, overlay.height);
  overlayContext.setTransform(scale, 0, 0, scale, 0, 0);
  overlayContext.lineWidth = 1 / scale;
  if (form.elements.cells.checked) {
    overlayContext.strokeStyle = paint("--cells");
    drawLines(simulation.cellLines());
  }
  if (form.elements.pairs.checked) {
    overlayContext.strokeStyle = paint("--text");
    drawLines(simulation.pairLines());
  }
  overlayContext.strokeStyle = overlayContext.fillStyle = paint("--found");
  overlayContext.lineWidth = 2 / scale;
  if (query !== undefined) {
    showQuery(scale);
  }
  if (usesKeys && document.activeElement === overlay) {
    const [x, y] = cursor;
    drawLines([x - 10, y, x + 10, y, x, y - 10, x, y + 10]);
  }
}

/** Repeats the query, and draws what it finds. */
function showQuery(scale) {
  const { kind, from, to } = query;
  let found;
  if (kind === "nearest") {
    found = simulation.nearest(...from, NEAREST);
  } else if (kind === "segment") {
    found = simulation.cast(...from, ...to);
    drawLines([...from, ...to]);
  } else {
    found = simulation.query(...from, ...to);
    overlayContext.strokeRect(...from, to[0] - from[0], to[1] - from[1]);
  }
  const text = {
    nearest: `${found.length} nearest discs`,
    segment: `the segment touches ${found.length} discs`,
    box: `the box overlaps ${found.length} discs`,
  }[kind];
  if (element("found").textContent !== text) {
    element("found").textContent = text;
  }
  const circles = simulation.circles(found);
  for (let at = 0; at < circles.length; at += 3) {
    const [x, y, radius] = circles.subarray(at, at + 3);
    overlayContext.beginPath();
    overlayContext.arc(x, y, Math.max(radius, 2 / scale), 0, 7);
    overlayContext.fill();
  }
}

function showNumbers() {
  for (const part of ["advance", "step", "bounce", "draw"]) {
    element(part).textContent = times[part] === undefined ? "" : times[part].toFixed(2);
  }
  element("number").textContent = tick.toLocaleString("en");
  element("count").textContent = simulation.pairs.toLocaleString("en");
  element("structure").textContent = STRUCTURES[simulation.structure] ?? simulation.structure;
  element("rate").textContent = running && times.frame > 0 ? (1000 / times.frame).toFixed(0) : "";
}

function frame(now) {
  if (running) {
    const before = tick;
    const end = performance.now() + BUDGET;
    do {
      runTick();
    } while (running && stop < Infinity && performance.now() < end);
    const frameTime = (now - lastFrame) / (tick - before);
    const isFirst = lastFrame === 0 || times.frame === undefined;
    times.frame = isFirst ? frameTime : times.frame * 0.95 + frameTime * 0.05;
  }
  lastFrame = now;
  timed("draw", draw);
  drawOverlay();
  showNumbers();
  requestAnimationFrame(frame);
}

/** Begins, changes or ends a drag at a point of the world. */
function dragTo(to, ends) {
  const apart = Math.hypot(to[0] - drag.from[0], to[1] - drag.from[1]);
  const isClick = (apart * overlay.clientWidth) / SIDE < CLICK;
  if (!isClick) {
    query = { kind: form.elements.tool.value, from: drag.from, to };
  } else if (ends) {
    query = { kind: "nearest", from: to };
  }
  if (ends) {
    drag = undefined;
  }
}

function pointOf(event) {
  const area = overlay.getBoundingClientRect();
  return [
    ((event.clientX - area.left) / area.width) * SIDE,
    ((event.clientY - area.top) / area.height) * SIDE,
  ];
}

overlay.addEventListener("pointerdown", (event) => {
  overlay.setPointerCapture(event.pointerId);
  usesKeys = false;
  cursor = pointOf(event);
  drag = { from: cursor };
});
overlay.addEventListener("pointermove", (event) => {
  if (drag !== undefined && event.buttons !== 0) {
    dragTo(pointOf(event), false);
  }
});
overlay.addEventListener("pointerup", (event) => {
  if (drag !== undefined) {
    dragTo(pointOf(event), true);
  }
});
overlay.addEventListener("keydown", (event) => {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const step = event.shiftKey ? 50 : 10;
  if (way !== undefined) {
    cursor = cursor.map((at, axis) => Math.min(SIDE, Math.max(0, at + way[axis] * step)));
    if (drag !== undefined) {
      dragTo(cursor, false);
    }
  } else if (event.key === " " && drag === undefined) {
    drag = { from: cursor };
  } else if (event.key === " ") {
    dragTo(cursor, true);
  } else if (event.key === "Enter") {
    query = { kind: "nearest", from: cursor };
  } else if (event.key === "Escape") {
    drag = query = undefined;
    element("found").textContent = "";
  } else {
    return;
  }
  usesKeys = true;
  event.preventDefault();
});

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", (event) => {
  if (!["pairs", "cells", "tool"].includes(event.target.name)) {
    stop = Infinity;
    restart();
  }
});
element("run").addEventListener("click", () => {
  stop = Infinity;
  setRunning(!running);
});
element("tick").addEventListener("click", () => {
  setRunning(false);
  runTick();
  showHash();
});
element("restart").addEventListener("click", restart);
addEventListener("hashchange", () => {
  readAddress();
  restart();
});

/** Returns the median time of five calls, and the last result. */
function median(call) {
  const all = [];
  let result;
  for (let round = 0; round < 5; round++) {
    const begin = performance.now();
    result = call();
    all.push(performance.now() - begin);
  }
  return [all.sort((a, b) => a - b)[2], result];
}

/** Counts the overlapping pairs of boxes with flatbush: builds a tree, and queries it with each box. */
function countWithFlatbush(boxes) {
  const tree = new Flatbush(boxes.length / 4, 16, Float32Array);
  for (let at = 0; at < boxes.length; at += 4) {
    tree.add(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]);
  }
  tree.finish();
  let pairs = 0;
  for (let at = 0; at < boxes.length; at += 4) {
    const own = at / 4;
    const found = tree.search(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]);
    for (const other of found) {
      pairs += other > own ? 1 : 0;
    }
  }
  return pairs;
}

element("compare").addEventListener("click", () => {
  const boxes = simulation.boxes();
  const [ours, pairs] = median(() => findPairs(boxes).length / 2);
  const [theirs, count] = median(() => countWithFlatbush(boxes));
  const result = pairs === count ? `${pairs} pairs of boxes` : `${pairs} and ${count} pairs`;
  element("times").textContent =
    `${result}, from nothing: hexphase ${ours.toFixed(1)} ms, flatbush ${theirs.toFixed(1)} ms`;
});

memory = await load();
element("module").textContent = hasSimd() ? "with SIMD" : "without SIMD";
element("comparison").hidden = typeof Flatbush === "undefined";
readAddress();
restart();
requestAnimationFrame(frame);
