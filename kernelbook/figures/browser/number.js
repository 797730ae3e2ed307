// Points that the reader adds, removes and turns into others, where a program has a use for any number of them.

const FEWEST = 2, MOST = 20;

/**
 * Lets the reader add and remove points, by buttons, by a double click and by the Delete key. Where there are two sorts
 * of points, the reader also turns a point into the other sort, by a button or the Enter key, and one of each stays.
 * `changed()` is called when points are others. Returns the buttons, `become(kinds)`, which says whether there may be
 * points of these kinds and sees to it, and `reset()`, which brings the given points back.
 */
function changeNumber(holder, given, {handles, sorts, add, placeOf, svg}, changed) {
  const {points, names, kinds = points.map(() => 0), box: [west, east, south, north]} = given;
  const several = sorts.length > 1, other = kind => 1 - kind;
  let last, chosen; // the newest number in the names of each sort; the handle that was held last
  const more = sorts.map(({word}, kind) => button(`Add a ${word}`, () => put(gap(), kind)));
  const less = button("", () => drop(chosen)), change = button("", () => turn(chosen));

  const newName = kind => `${sorts[kind].word} ${++last[kind]}`;
  const isAlone = ({kind}) => several && handles.filter(handle => handle.kind === kind).length === 1;
  const stays = handle => handles.length <= FEWEST || isAlone(handle);

  function settle() {
    if (!handles.includes(chosen)) chosen = handles.at(-1);
    less.textContent = `Remove ${chosen.name}`;
    for (const each of more) each.disabled = handles.length >= MOST;
    less.disabled = stays(chosen);
    if (!several) return;
    change.textContent = `Make ${chosen.name} a ${sorts[other(chosen.kind)].word}`;
    change.disabled = isAlone(chosen);
  }

  function put(at, kind) {
    if (handles.length >= MOST) return;
    chosen = add(newName(kind), at, kind);
    chosen.group.focus({preventScroll: true});
    settle();
    changed();
  }

  /** Returns the neighbour of a point that is removed, or undefined if it has to stay. */
  function drop(handle) {
    if (stays(handle)) return undefined;
    const place = handles.indexOf(handle);
    handle.remove();
    chosen = handles[Math.min(place, handles.length - 1)];
    settle();
    changed();
    return chosen;
  }

  function turn(handle) {
    if (isAlone(handle)) return;
    handle.turn(newName(other(handle.kind)), other(handle.kind));
    settle();
    changed();
  }

  /** The middle of the widest gap along the first axis, half-way up. */
  function gap() {
    const places = [west, ...handles.map(({at}) => at[0]).sort((x, z) => x - z), east];
    const widths = places.slice(1).map((x, i) => x - places[i]), i = widths.indexOf(Math.max(...widths));
    return [(places[i] + places[i + 1]) / 2, (south + north) / 2];
  }

  const held = ({target}) => handles.find(({group}) => group === target);
  svg.addEventListener("dblclick", event => {
    if (!event.target.closest("[role=slider]")) put(placeOf(event), chosen.kind);
  });
  holder.addEventListener("focusin", event => {
    chosen = held(event) ?? chosen;
    settle();
  });
  holder.addEventListener("keydown", event => {
    if (event.key === "Delete" && held(event)) drop(held(event))?.group.focus({preventScroll: true});
    if (event.key === "Enter" && several && held(event)) turn(held(event));
  });

  function become(wanted) {
    const known = wanted.every(kind => kind in sorts) && sorts.every((_, kind) => wanted.includes(kind));
    if (!known || wanted.length < Math.min(FEWEST, points.length) || wanted.length > MOST) return false;
    while (handles.length > wanted.length) handles.at(-1).remove();
    wanted.forEach((kind, i) => {
      if (i === handles.length) add(newName(kind), gap(), kind);
      if (handles[i].kind !== kind) handles[i].turn(newName(kind), kind);
    });
    settle();
    return true;
  }

  function count() {
    last = sorts.map((_, kind) => kinds.filter(each => each === kind).length);
  }

  function reset() {
    for (const handle of [...handles]) handle.remove();
    points.forEach((at, i) => add(names[i], at, kinds[i]));
    count();
    settle();
  }

  count();
  settle();
  return {buttons: [...more, less, ...(several ? [change] : [])], become, reset};
}
