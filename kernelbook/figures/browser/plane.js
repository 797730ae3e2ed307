// A plane drawn as the book's figures are, with points that the reader moves by mouse, finger or keyboard.

// The colours and lines of kernelbook/plotting/style.py; a test compares them.
const INK = "var(--ink,#22252b)", PANEL = "var(--panel,#fdfcf9)", GREY = "var(--grey,#8c8f94)";
const POSITIVE = "var(--class-1,#0072b2)", NEGATIVE = "var(--class-0,#d55e00)";
const REGIONS = ["var(--region-0,#f6dcc8)", "var(--region-1,#cfe3f0)"];
const FIT = {stroke: INK, "stroke-width": 2.5};
const GUIDE = {stroke: NEGATIVE, "stroke-width": 2, "stroke-dasharray": "10 6"};
const TERM = {stroke: GREY, "stroke-width": 1.5}; // one term of a sum
const FOCUS = "#0b57d0"; // the ring around a point that has the keyboard's focus

const PADDING = {left: 60, right: 12, top: 12, bottom: 52}; // pixels around the axes
const REACH = 32; // pixels around a point that take hold of it; 23 on a phone 390 pixels wide, so a target of over 44
const MESH = 5; // pixels between the nodes of the grid on which level lines are traced

/**
 * A plane in `holder`.
 *
 * box: [west, east, south, north], the visible part; size: [width, height] of the whole drawing in pixels;
 * ticks: [places on the first axis, on the second]; labels: the labels of the axes; coordinates: the names of a point's
 * coordinates; step: all coordinates, and the ends of the box, are multiples of it.
 */
function plane(holder, {box, size, ticks, labels, coordinates, step}) {
  const [west, east, south, north] = box, [width, height] = size;
  const left = PADDING.left, right = width - PADDING.right, top = PADDING.top, bottom = height - PADDING.bottom;
  const across = x => left + (x - west) / (east - west) * (right - left);
  const up = y => bottom - (y - south) / (north - south) * (bottom - top);

  // Its role is a group, since screen readers find no points inside an image.
  const svg = element(holder, "svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    style: `max-width: 100%; height: auto; background: ${PANEL}`,
    "font-family": "var(--figure-face, DejaVu Sans, Verdana, sans-serif)", "font-size": 16, fill: INK,
  });
  // An inner svg clips lines that leave the area.
  const area = element(svg, "svg", {
    x: left, y: top, width: right - left, height: bottom - top,
    viewBox: `${left} ${top} ${right - left} ${bottom - top}`, "aria-hidden": true,
  });
  axes();
  const marks = element(svg, "g", {"aria-hidden": true, fill: "none", stroke: INK, "pointer-events": "none"});

  function axes() {
    const group = element(svg, "g", {"aria-hidden": true, "text-anchor": "middle"});
    const lines = [`M${left} ${top}V${bottom}H${right}`];
    for (const x of ticks[0]) {
      lines.push(`M${across(x)} ${bottom}v5`);
      element(group, "text", {x: across(x), y: bottom + 21}).textContent = text(x);
    }
    for (const y of ticks[1]) {
      lines.push(`M${left} ${up(y)}h-5`);
      element(group, "text", {x: left - 9, y: up(y) + 6, "text-anchor": "end"}).textContent = text(y);
    }
    element(group, "path", {d: lines.join(""), fill: "none", stroke: INK, "stroke-width": 1.1});
    const middle = (top + bottom) / 2;
    element(group, "text", {x: (left + right) / 2, y: height - 9}).textContent = labels[0];
    element(group, "text", {x: 18, y: middle, transform: `rotate(-90 18 ${middle})`}).textContent = labels[1];
  }

  function clear() {
    area.replaceChildren();
    marks.replaceChildren();
  }

  function path(points, style) {
    element(area, "path", {d: outline(points), fill: "none", ...style});
  }

  /** The graph of a function of the first coordinate. */
  function curve(f, style) {
    path(spread(west, east, 200).map(x => [across(x), up(f(x))]), style);
  }

  /** f at the nodes of a grid, row by row from the north. */
  function sample(f) {
    const columns = spread(west, east, (right - left) / MESH), rows = spread(north, south, (bottom - top) / MESH);
    return rows.map(y => columns.map(x => f(x, y)));
  }

  const onPage = chain => chain.map(([row, column]) => [left + MESH * column, top + MESH * row]);

  function level(values, at, style) {
    for (const chain of contours(values, at)) path(onPage(chain), style);
  }

  /** The two sides of the sampled f = 0, each in the colour of its class. */
  function sides(values) {
    element(area, "rect", {x: left, y: top, width: right - left, height: bottom - top, fill: REGIONS[0]});
    // A wall of negative values around the grid closes every outline.
    const around = values[0].map(() => -1e12);
    const walled = [around, ...values, around].map(row => [-1e12, ...row, -1e12]);
    const outlines = contours(walled, 0).map(chain => onPage(chain.map(([row, column]) => [row - 1, column - 1])));
    element(area, "path", {d: outlines.map(outline).join(""), fill: REGIONS[1], "fill-rule": "evenodd"});
  }

  function ring([x, y]) {
    element(marks, "circle", {cx: across(x), cy: up(y), r: 10.5, "stroke-width": 1.6});
  }

  function diamond([x, y]) {
    element(marks, "path", {d: `M${across(x)} ${up(y) - 13}l13 13l-13 13l-13 -13Z`, "stroke-width": 1.4});
  }

  /** The place in the plane at which a pointer event happened. */
  function placeOf(event) {
    const seen = svg.getBoundingClientRect();
    const x = (event.clientX - seen.left) * width / seen.width - left;
    const y = bottom - (event.clientY - seen.top) * height / seen.height;
    return [west + x / (right - left) * (east - west), south + y / (bottom - top) * (north - south)];
  }

  element(svg, "style", {}).textContent = "g[role=slider]:not(:focus-visible) > .focus { display: none }";
  const drawn = {clear, curve, sample, level, sides, ring, diamond};
  return {...drawn, svg, box, step, coordinates, across, up, placeOf, handles: []};
}

/**
 * Adds a handle to a plane, by which the reader moves a point; `moved()` is called when the point has another place.
 *
 * ARIA has no slider of two dimensions. This handle is a slider whose value is both coordinates in words, so that screen
 * readers pass the arrow keys on to it.
 */
function handle(plane, {name, at, mark, moved}) {
  const {box: [west, east, south, north], step, across, up} = plane, start = at;
  const group = element(plane.svg, "g", {
    tabindex: 0, role: "slider", "aria-roledescription": "movable point", "aria-label": name,
    "aria-valuemin": west, "aria-valuemax": east, style: "cursor: grab; outline: none",
  });
  element(group, "circle", {r: 18, class: "focus", fill: "none", stroke: FOCUS, "stroke-width": 3});
  element(group, mark.tag, {...mark.attributes, stroke: PANEL, "stroke-width": 1.1});
  element(group, "circle", {r: REACH, fill: "transparent"});

  function put(place) {
    at = [snapped(place[0], west, east, step), snapped(place[1], south, north, step)];
    group.setAttribute("transform", `translate(${across(at[0])} ${up(at[1])})`);
    group.setAttribute("aria-valuenow", at[0]);
    group.setAttribute("aria-valuetext", plane.coordinates.map((word, i) => `${word} ${text(at[i])}`).join(", "));
  }

  function move(place) {
    const [x, y] = at;
    put(place);
    if (at[0] !== x || at[1] !== y) moved();
  }

  const own = {group, get at() { return at; }, move, putBack: () => move(start)};
  plane.handles.push(own);
  put(at);
  followKeys(own, step);
  followPointer(own, plane);
}

/** Arrows move a handle by a step, with Shift by ten, and Home back to its start. */
function followKeys(handle, step) {
  handle.group.addEventListener("keydown", event => {
    const turn = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !(turn || event.key === "Home")) return;
    event.preventDefault(); // the page does not scroll
    const stride = event.shiftKey ? 10 * step : step;
    if (turn) handle.move(handle.at.map((value, i) => value + stride * turn[i]));
    else handle.putBack();
  });
}

/** Mouse and finger. Where the reaches of handles overlap, the nearest handle is taken, not the one drawn last. */
function followPointer(handle, {handles, placeOf, across, up}) {
  const {group} = handle;
  let offset; // from the pointer to the point, which would jump without it
  const far = ([x, y], [u, v]) => Math.hypot(across(x) - across(u), up(y) - up(v));

  handle.take = event => {
    const place = placeOf(event);
    offset = handle.at.map((value, i) => value - place[i]);
    group.setPointerCapture(event.pointerId);
    group.focus({preventScroll: true});
  };
  group.addEventListener("pointerdown", event => {
    if (event.button !== 0) return;
    event.preventDefault();
    const place = placeOf(event);
    handles.reduce((one, other) => far(other.at, place) <= far(one.at, place) ? other : one).take(event);
  });
  group.addEventListener("pointermove", event => {
    if (group.hasPointerCapture(event.pointerId)) handle.move(placeOf(event).map((value, i) => value + offset[i]));
  });
  // A finger moves the point and not the page. Chromium ignores touch-action on elements inside an svg.
  group.addEventListener("touchstart", event => event.preventDefault(), {passive: false});
}

/**
 * The lines on which the values at the nodes of a grid equal `level`: chains of [row, column], with fractions between
 * nodes. Going around a cell, one leaves the values above `level` at one edge and enters them again at another; a line
 * runs from the first edge to the second, and the cell beyond that edge continues it.
 */
function contours(values, level) {
  const rows = values.length, columns = values[0].length, after = new Map(), places = new Map();
  for (let i = 0; i + 1 < rows; i++) {
    for (let j = 0; j + 1 < columns; j++) {
      const above = (values[i][j] > level) + (values[i][j + 1] > level)
        + (values[i + 1][j] > level) + (values[i + 1][j + 1] > level);
      if (above % 4 !== 0) cross(i, j);
    }
  }

  function cross(i, j) {
    const corners = [[i, j], [i, j + 1], [i + 1, j + 1], [i + 1, j]], found = [];
    corners.forEach(([r, c], k) => {
      const [s, d] = corners[(k + 1) % 4], here = values[r][c] - level, there = values[s][d] - level;
      if ((here > 0) === (there > 0)) return;
      const edge = 2 * Math.min(r * columns + c, s * columns + d) + (r === s ? 0 : 1), share = here / (here - there);
      places.set(edge, [r + share * (s - r), c + share * (d - c)]);
      found.push({edge, leaves: here > 0});
    });
    found.forEach(({edge, leaves}, k) => {
      if (leaves) after.set(edge, found[(k + 1) % found.length].edge);
    });
  }

  function follow(edge) {
    const chain = [];
    while (edge !== undefined) {
      chain.push(places.get(edge));
      const following = after.get(edge);
      after.delete(edge);
      edge = following;
    }
    return chain;
  }

  const reached = new Set(after.values());
  const open = [...after.keys()].filter(edge => !reached.has(edge)).map(follow);
  const closed = [];
  while (after.size > 0) closed.push(follow(after.keys().next().value));
  return [...open, ...closed];
}

function element(parent, tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return parent.appendChild(made);
}

function outline(points) {
  return "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
}

/** Numbers from `first` on, such that `count` intervals reach `last`; one interval more if `count` is not whole. */
function spread(first, last, count) {
  return Array.from({length: Math.ceil(count) + 1}, (_, i) => first + (last - first) * i / count);
}

/** The multiple of `step` in [least, most] that is nearest to `value`, as 0.3 and not as 0.30000000000000004. */
function snapped(value, least, most, step) {
  return Number((step * Math.round(Math.min(Math.max(value, least), most) / step)).toFixed(6));
}

/** A number in full, with a true minus sign. */
function text(value) {
  return String(value).replace("-", "−");
}

/**
 * The value with two decimals. A small addition makes halves round away from zero here and in Python, and zero has no
 * sign.
 */
function decimals(value) {
  const rounded = (Math.abs(value) + 1e-7 * (1 + Math.abs(value))).toFixed(2);
  return (value < 0 && Number(rounded) !== 0 ? "−" : "") + rounded;
}
