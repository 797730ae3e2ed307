// Puts a program, such as bells, in place of the first picture, and keeps its points in the page's address.
function movePoints(figure, named, program, given) {
  const holder = document.createElement("div"), key = `${named.name}.points`;
  holder.className = "explorer-plane";
  let joined;
  const {show, drawing} = program(holder, given, () => joined?.redraw()), {handles} = drawing;
  const number = given.grows ? changeNumber(holder, given, drawing, () => { joined.redraw(); keep(); }) : undefined;
  const positions = () => handles.map(handle => handle.at.join("_")).join("_");
  const start = positions(), asked = (new URL(location).searchParams.get(key) ?? "").split("_").map(parseFloat);
  const count = asked.length / 2;
  if (asked.every(Number.isFinite) && (count === handles.length || number?.become(count))) {
    handles.forEach((handle, i) => handle.move(asked.slice(2 * i, 2 * i + 2)));
  }
  figure.querySelector(".explorer-picture").replaceWith(holder);
  joined = joinControls(figure, named, chosen =>
    show(Object.fromEntries(given.sliders.map(({name, values}, i) => [name, values[chosen[i]]]))));
  joined.redraw();

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

  const back = document.createElement("button");
  back.textContent = "Put everything back";
  back.addEventListener("click", () => {
    if (number) number.reset();
    else for (const handle of handles) handle.putBack();
    const here = new URL(location);
    for (const control of joined.controls) {
      control.position = control.start;
      here.searchParams.delete(`${named.name}.${control.name}`);
    }
    history.replaceState(history.state, "", here);
    joined.redraw();
    keep();
  });
  const buttons = document.createElement("div");
  buttons.className = "explorer-buttons";
  buttons.append(...(number?.buttons ?? []), back);
  for (const button of buttons.children) button.type = "button";
  figure.querySelector(".explorer-controls").append(buttons);
}
