// Points in a plane that the reader moves by mouse, finger or keyboard.

const REACH = 32; // pixels around a point that take hold of it; 23 on a phone 390 pixels wide, so a target of over 44
const FOCUS = "#0b57d0"; // the ring around a point that has the keyboard's focus

// The only sort, where all points are alike.
const POINTS = [{word: "point", mark: {tag: "circle", attributes: {r: 6.5, fill: INK}}}];

/**
 * Adds a handle for each of the given points to a plane, and gives it `add(name, at, kind)` for further ones. The kind
 * of a point is its place in `sorts`. Returns a function that says where they are.
 */
function pointsIn(plane, {points, names, kinds}, moved, sorts = POINTS) {
  plane.sorts = sorts;
  plane.add = (name, at, kind = 0) => handle(plane, {name, at, kind, moved});
  points.forEach((at, i) => plane.add(names[i], at, kinds?.[i]));
  return () => plane.handles.map(handle => handle.at);
}

/**
 * Adds a handle to a plane, by which the reader moves a point; `moved()` is called when the point has another place.
 *
 * ARIA has no slider of two dimensions. This handle is a slider whose value is both coordinates in words, so that screen
 * readers pass the arrow keys on to it.
 */
function handle(plane, {name, at, kind, moved}) {
  const {box: [west, east, south, north], step, across, up, sorts} = plane, start = at;
  const group = element(plane.svg, "g", {
    tabindex: 0, role: "slider", "aria-roledescription": "movable point",
    "aria-valuemin": west, "aria-valuemax": east, style: "cursor: grab; outline: none",
  });
  element(group, "circle", {r: 18, class: "focus", fill: "none", stroke: FOCUS, "stroke-width": 3});
  const drawn = element(group, "g", {stroke: PANEL, "stroke-width": 1.1});
  element(group, "circle", {r: REACH, fill: "transparent"});

  function turn(newName, newKind) {
    [name, kind] = [newName, newKind];
    group.setAttribute("aria-label", name);
    drawn.replaceChildren();
    element(drawn, sorts[kind].mark.tag, sorts[kind].mark.attributes);
  }

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

  function remove() {
    group.remove();
    plane.handles.splice(plane.handles.indexOf(own), 1);
  }

  const own = {
    group, get name() { return name; }, get kind() { return kind; }, get at() { return at; },
    move, turn, remove, putBack: () => move(start),
  };
  plane.handles.push(own);
  turn(name, kind);
  put(at);
  followKeys(own, step);
  followPointer(own, plane);
  return own;
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

/** The multiple of `step` in [least, most] that is nearest to `value`, as 0.3 and not as 0.30000000000000004. */
function snapped(value, least, most, step) {
  return Number((step * Math.round(Math.min(Math.max(value, least), most) / step)).toFixed(6));
}

function button(text, pressed) {
  const made = document.createElement("button");
  Object.assign(made, {type: "button", textContent: text, onclick: pressed});
  return made;
}
