// Joins the sliders of an explorer to its picture, and keeps their positions in the page's address.
// `texts` and `values` hold for each slider the names of its positions, on the page and in the address.
// `show(positions)` draws, and returns the result in words, or null while there is none.
// Returns a function that draws again.
function joinSliders(figure, {name, alt, texts, values}, show) {
  const inputs = [...figure.querySelectorAll("input[type=range]")];
  const outputs = [...figure.querySelectorAll(".explorer-control output")];
  const labels = [...figure.querySelectorAll(".explorer-control label")];
  const result = figure.querySelector(".explorer-result");
  const key = input => `${name}.${input.name}`;

  const redraw = () => {
    inputs.forEach((input, i) => {
      input.ariaValueText = outputs[i].textContent = texts[i][input.valueAsNumber];
    });
    const said = show(inputs.map(input => input.valueAsNumber));
    if (said === null) return;
    result.textContent = said;
    const setting = labels.map((label, i) => `${label.textContent} ${outputs[i].textContent}`).join(", ");
    const picture = figure.querySelector("img, svg"), described = setting ? `${setting}: ${said}` : said;
    picture.setAttribute(picture.localName === "img" ? "alt" : "aria-label", `${alt} ${described}`.trim());
  };

  const address = new URL(location);
  inputs.forEach((input, i) => {
    const position = values[i].indexOf(address.searchParams.get(key(input)));
    if (position >= 0) input.value = position;
    input.addEventListener("input", redraw);
    input.addEventListener("change", () => {
      const here = new URL(location);
      inputs.forEach((moved, j) => here.searchParams.set(key(moved), values[j][moved.valueAsNumber]));
      here.hash = name;
      history.replaceState(history.state, "", here);
    });
  });
  const guesses = figure.querySelector(".explorer-ask");
  if (guesses) guesses.addEventListener("change", ({target}) =>
    guesses.querySelector("output").textContent = guesses.dataset.guessed.replace("{}", () => target.value));
  return redraw;
}
