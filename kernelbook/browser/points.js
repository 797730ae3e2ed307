// Puts a program, bells or svc, into its figure in place of the first picture; its points are in the page's address.
function movePoints(figure, named, program, given) {
  const image = figure.querySelector("img"), holder = document.createElement("div"), key = `${named.name}.points`;
  image.after(holder);
  let redraw = () => {};
  const {show, handles} = program(holder, {...given, title: named.alt}, () => redraw());
  const positions = () => handles.map(handle => handle.at.join("_")).join("_");
  const start = positions(), asked = (new URL(location).searchParams.get(key) ?? "").split("_").map(parseFloat);
  if (asked.length === 2 * handles.length && asked.every(Number.isFinite)) {
    handles.forEach((handle, i) => handle.move(asked.slice(2 * i, 2 * i + 2)));
  }
  redraw = joinSliders(figure, named, chosen =>
    show(Object.fromEntries(given.sliders.map(({name, values}, i) => [name, values[chosen[i]]]))));
  redraw();
  image.style.display = "none"; // only now: should a script fail, the picture stays

  const keep = () => {
    const here = new URL(location);
    if (positions() === start) here.searchParams.delete(key);
    else here.searchParams.set(key, positions());
    here.hash = named.name;
    history.replaceState(history.state, "", here);
  };
  for (const end of ["pointerup", "keyup"]) holder.addEventListener(end, event => {
    if (event.target.closest("[role=slider]")) keep();
  });

  const back = document.createElement("button");
  Object.assign(back, {type: "button", className: "explorer-back", textContent: "Put everything back"});
  back.addEventListener("click", () => {
    for (const handle of handles) handle.putBack();
    for (const slider of figure.querySelectorAll("input[type=range]")) {
      slider.value = slider.defaultValue;
      slider.dispatchEvent(new Event("change"));
    }
    redraw();
    keep();
  });
  figure.querySelector(".explorer-controls").append(back);
}
