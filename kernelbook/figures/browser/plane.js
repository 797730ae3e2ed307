// A plane drawn as the book's figures are.

// The colours and lines of kernelbook/plotting/style.py; a test compares them.
const INK = "var(--ink,#22252b)", PANEL = "var(--panel,#fdfcf9)", GREY = "var(--grey,#8c8f94)";
const POSITIVE = "var(--class-1,#0072b2)", NEGATIVE = "var(--class-0,#d55e00)";
const REGIONS = ["var(--region-0,#f6dcc8)", "var(--region-1,#cfe3f0)"];
const BAND = "var(--band,#bcd4e6)"; // the area in which a curve lies
const FIT = {stroke: INK, "stroke-width": 2.5};
const GUIDE = {stroke: NEGATIVE, "stroke-width": 2, "stroke-dasharray": "10 6"};
const THIN = {stroke: GREY, "stroke-width": 1.5}; // one term of a sum, or a link between two values

const FALLING = {...THIN, "stroke-dasharray": "6 4.5"}; // a level line below 0

const DIAL = 15.5; // pixels, the radius of the arc around a point that shows its α
const STEPS = 200; // of a curve, from west to east
const PADDING = {left: 60, right: 12, top: 12, bottom: 52}; // pixels around the axes

/**
 * Axes with lines in them, inside `svg`, as wide as it is and from `top` to `bottom`. box: [west, east, south, north], the
 * visible part; ticks: [places on the first axis, on the second]; labels: the labels of the axes.
 */
function frame(svg, width, [top, bottom], {box: [west, east, south, north], ticks, labels}) {
  const left = PADDING.left, right = width - PADDING.right;
  const across = x => left + (x - west) / (east - west) * (right - left);
  const up = y => bottom - (y - south) / (north - south) * (bottom - top);

  // An inner svg clips lines that leave the area.
  const area = element(svg, "svg", {
    x: left, y: top, width: right - left, height: bottom - top,
    viewBox: `${left} ${top} ${right - left} ${bottom - top}`, "aria-hidden": true,
  });
  axes();

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
    element(group, "text", {x: (left + right) / 2, y: bottom + 43}).textContent = labels[0];
    element(group, "text", {x: 18, y: middle, transform: `rotate(-90 18 ${middle})`}).textContent = labels[1];
  }

  function path(points, style) {
    element(area, "path", {d: outline(points), fill: "none", ...style});
  }

  return {area, across, up, path, edges: {left, right, top, bottom}};
}

/**
 * A plane in `holder`.
 *
 * box, ticks, labels: as above; size: [width, height] of the whole drawing in pixels, with `room` at its foot for other
 * things; coordinates: the names of a point's coordinates; step: all coordinates, and the ends of the box, are multiples
 * of it.
 */
function plane(holder, given) {
  const {box, size: [width, height], coordinates, step, room = 0} = given, [west, east, south, north] = box;

  // Its role is a group, since screen readers find no points inside an image.
  const svg = element(holder, "svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    style: `max-width: 100%; height: auto; background: ${PANEL}`,
    "font-family": "var(--figure-face, DejaVu Sans, Verdana, sans-serif)", "font-size": 16, fill: INK,
  });
  const framed = frame(svg, width, [PADDING.top, height - PADDING.bottom - room], given);
  const {area, across, up, path, edges: {left, right, top, bottom}} = framed;
  const marks = element(svg, "g", {"aria-hidden": true, fill: "none", stroke: INK, "pointer-events": "none"});

  function clear() {
    area.replaceChildren();
    marks.replaceChildren();
  }

  /** The graph of a function of the first coordinate. */
  function curve(f, style) {
    path(spread(west, east, STEPS).map(x => [across(x), up(f(x))]), style);
  }

  function ring([x, y]) {
    element(marks, "circle", {cx: across(x), cy: up(y), r: 10.5, "stroke-width": 1.6});
  }

  function diamond([x, y]) {
    element(marks, "path", {d: `M${across(x)} ${up(y) - 13}l13 13l-13 13l-13 -13Z`, "stroke-width": 1.4});
  }

  /** An arc around a point, from the top clockwise; a whole circle is the share 1. */
  function dial([x, y], share, colour) {
    const arc = spread(0, 2 * Math.PI * share, 32).map(turn => [DIAL * Math.sin(turn), DIAL * Math.cos(turn)]);
    path(arc.map(([east, north]) => [across(x) + east, up(y) - north]), {stroke: colour, "stroke-width": 4});
  }

  /** The place in the plane at which a pointer event happened. */
  function placeOf(event) {
    const seen = svg.getBoundingClientRect();
    const x = (event.clientX - seen.left) * width / seen.width - left;
    const y = bottom - (event.clientY - seen.top) * height / seen.height;
    return [west + x / (right - left) * (east - west), south + y / (bottom - top) * (north - south)];
  }

  element(svg, "style", {}).textContent = "g[role=slider]:not(:focus-visible) > .focus { display: none }";
  return {...framed, clear, curve, ring, diamond, dial, svg, box, step, coordinates, placeOf, handles: []};
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
