// Points that the reader adds and removes, where a program has a use for any number of them.

const FEWEST = 2, MOST = 20;

/**
 * Lets the reader add and remove points, by two buttons, by a double click and by the Delete key; `changed()` is called
 * when there is another number of them. Returns the buttons, `become(count)`, which says whether there may be so many
 * and sees to it, and `reset()`, which brings the given points back.
 */
function changeNumber(holder, {points, names, box: [west, east, south, north]}, {handles, add, placeOf, svg}, changed) {
  let last = points.length, chosen; // the number in the newest name; the handle that was held last
  const more = document.createElement("button"), less = document.createElement("button");
  more.textContent = "Add a point";

  function settle() {
    if (!handles.includes(chosen)) chosen = handles.at(-1);
    less.textContent = `Remove ${chosen.name}`;
    more.disabled = handles.length >= MOST;
    less.disabled = handles.length <= FEWEST;
  }

  function put(at) {
    if (handles.length >= MOST) return;
    chosen = add(`point ${++last}`, at);
    chosen.group.focus({preventScroll: true});
    settle();
    changed();
  }

  /** Returns the neighbour of a point that is removed, or undefined if it has to stay. */
  function drop(handle) {
    if (handles.length <= FEWEST) return undefined;
    const place = handles.indexOf(handle);
    handle.remove();
    chosen = handles[Math.min(place, handles.length - 1)];
    settle();
    changed();
    return chosen;
  }

  /** The middle of the widest gap along the first axis, half-way up. */
  function gap() {
    const places = [west, ...handles.map(({at}) => at[0]).sort((x, z) => x - z), east];
    const widths = places.slice(1).map((x, i) => x - places[i]), i = widths.indexOf(Math.max(...widths));
    return [(places[i] + places[i + 1]) / 2, (south + north) / 2];
  }

  more.addEventListener("click", () => put(gap()));
  less.addEventListener("click", () => drop(chosen));
  const held = ({target}) => handles.find(({group}) => group === target);
  svg.addEventListener("dblclick", event => {
    if (!event.target.closest("[role=slider]")) put(placeOf(event));
  });
  holder.addEventListener("focusin", event => {
    chosen = held(event) ?? chosen;
    settle();
  });
  holder.addEventListener("keydown", event => {
    if (event.key === "Delete" && held(event)) drop(held(event))?.group.focus({preventScroll: true});
  });

  function become(count) {
    if (!(Number.isInteger(count) && count >= FEWEST && count <= MOST)) return false;
    while (handles.length > count) handles.at(-1).remove();
    while (handles.length < count) add(`point ${++last}`, gap());
    settle();
    return true;
  }

  function reset() {
    for (const handle of [...handles]) handle.remove();
    points.forEach((at, i) => add(names[i], at));
    last = points.length;
    settle();
  }

  settle();
  return {buttons: [more, less], become, reset};
}
