// What chooses a parameter's value: a slider, or buttons where the values are names.
function asControl(holder) {
  const inputs = [...holder.querySelectorAll("input")], [slider] = inputs;
  const isSlider = slider.type === "range", output = holder.querySelector("output");
  return {
    name: isSlider ? slider.name : holder.dataset.parameter,
    label: holder.querySelector(".explorer-label").textContent,
    start: isSlider ? Number(slider.defaultValue) : inputs.findIndex(button => button.defaultChecked),
    get position() { return isSlider ? slider.valueAsNumber : inputs.findIndex(button => button.checked); },
    set position(place) {
      if (isSlider) slider.value = place;
      else inputs[place].checked = true;
    },
    say(text) { if (isSlider) slider.ariaValueText = output.textContent = text; },
    disable() { for (const input of inputs) input.disabled = true; },
    listen(moved, settled) {
      holder.addEventListener("input", moved);
      holder.addEventListener("change", settled);
      if (isSlider) scrollFreely(slider);
    },
  };
}
// A finger that comes down on a slider in order to scroll the page leaves the slider where it was.
function scrollFreely(slider) {
  let before;
  slider.addEventListener("pointerdown", () => before = slider.value, {capture: true});
  slider.addEventListener("pointercancel", () => {
    if (slider.value === before) return;
    slider.value = before;
    for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind, {bubbles: true}));
  });
}
// Joins the controls of an explorer to its picture, and keeps their positions in the page's address.
// `texts` and `values` hold for each control the names of its positions, on the page and in the address.
// `show(positions)` draws, and returns the result in words, or null while there is none.
// Returns a function that draws again, and the controls.
function joinControls(figure, {name, alt, texts, values, question}, show) {
  const controls = [...figure.querySelectorAll(".explorer-control")].map(asControl);
  const result = figure.querySelector(".explorer-result");
  const key = control => `${name}.${control.name}`, text = (control, i) => texts[i][control.position];

  const redraw = () => {
    controls.forEach((control, i) => control.say(text(control, i)));
    const said = show(controls.map(control => control.position));
    if (said === null) return;
    result.textContent = said;
    const setting = controls.map((control, i) => `${control.label} ${text(control, i)}`).join(", ");
    const described = setting ? `${setting}: ${said}` : said;
    for (const picture of figure.querySelectorAll(":is(.explorer-picture, .explorer-plane) > svg")) {
      picture.setAttribute("aria-label", `${alt} ${described}`.trim());
    }
    if (question) reply();
  };

  const address = new URL(location);
  const keep = () => {
    const here = new URL(location);
    controls.forEach((control, i) => here.searchParams.set(key(control), values[i][control.position]));
    here.hash = name;
    history.replaceState(history.state, "", here);
  };
  controls.forEach((control, i) => {
    const position = values[i].indexOf(address.searchParams.get(key(control)));
    if (position >= 0) control.position = position;
    control.listen(redraw, keep);
  });
  // What the figure says to the reader's guess: the answer, from the first setting on that shows it. A button leads there.
  const guesses = figure.querySelector(".explorer-ask"), settings = Object.entries(question?.where ?? {});
  const lead = figure.querySelector(".explorer-show");
  let shown = false;
  function reply() {
    const guess = guesses.querySelector(":checked")?.value;
    if (guess === undefined) return;
    if (lead) lead.disabled = false;
    shown ||= settings.length > 0 && settings.every(([parameter, value]) =>
      controls.some((control, i) => control.name === parameter && text(control, i) === value));
    const kind = !shown ? "guessed" : guess === question.right ? "rightly" : "wrongly";
    guesses.querySelector("output").textContent = question[kind];
  }
  if (guesses) guesses.addEventListener("change", reply);
  if (lead) lead.addEventListener("click", () => {
    controls.forEach((control, i) => {
      if (control.name in question.where) control.position = texts[i].indexOf(question.where[control.name]);
    });
    redraw();
    keep();
  });
  return {redraw, controls};
}
