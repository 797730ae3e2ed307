// Puts a program, such as bells, in place of the first picture, and keeps its points in the page's address.
function movePoints(figure, named, program, given) {
  const holder = document.createElement("div"), key = `${named.name}.points`;
  holder.className = "explorer-plane";
  let joined;
  const {show, drawing, restart} = program(holder, given, () => joined?.redraw()), {handles} = drawing;
  const number = given.grows ? changeNumber(holder, given, drawing, () => { joined.redraw(); keep(); }) : undefined;
  const several = drawing.sorts.length > 1, width = several ? 3 : 2; // numbers of a point in the address
  const positions = () => handles.map(({at, kind}) => [...at, ...(several ? [kind] : [])].join("_")).join("_");
  const start = positions(), asked = (new URL(location).searchParams.get(key) ?? "").split("_").map(parseFloat);
  const kinds = Array.from({length: asked.length / width}, (_, i) => several ? asked[width * i + 2] : 0);
  const fits = asked.every(Number.isFinite) && asked.length % width === 0;
  if (fits && (number ? number.become(kinds) : kinds.length === handles.length)) {
    handles.forEach((handle, i) => handle.move(asked.slice(width * i, width * i + 2)));
  }
  figure.querySelector(".explorer-picture").replaceWith(holder);
  joined = joinControls(figure, named, chosen => {
    const choice = given.sliders.map(({name, values}, i) => [name, values[chosen[i]]]);
    const {words, numbers} = show(Object.fromEntries(choice));
    if (given.task) tick(numbers);
    return words;
  });
  joined.redraw();

  /** Says that the task is done, from the first time on that all numbers lie where it wants them. */
  function tick(numbers) {
    const {wanted, done} = given.task, line = figure.querySelector(".explorer-task");
    const within = ([name, [least, most]]) => least <= numbers[name] && numbers[name] <= most;
    if (Object.entries(wanted).every(within)) line.textContent = done;
  }

  let kept = positions();
  const keep = () => {
    if (positions() === kept) return;
    kept = positions();
    const here = new URL(location);
    if (kept === start) here.searchParams.delete(key);
    else here.searchParams.set(key, kept);
    here.hash = named.name;
    history.replaceState(history.state, "", here);
  };
  for (const end of ["pointerup", "pointercancel", "keyup"]) holder.addEventListener(end, keep);

  const back = button("Put everything back", () => {
    if (number) number.reset();
    else for (const handle of handles) handle.putBack();
    const here = new URL(location);
    for (const control of joined.controls) {
      control.position = control.start;
      here.searchParams.delete(`${named.name}.${control.name}`);
    }
    history.replaceState(history.state, "", here);
    joined.redraw();
    restart?.();
    keep();
  });
  const buttons = document.createElement("div");
  buttons.className = "explorer-buttons";
  buttons.append(...(number?.buttons ?? []), back);
  figure.querySelector(".explorer-controls").append(buttons);
}
