// Joins the sliders of an explorer to its picture, and keeps their positions in the page's address.
// `texts` and `values` hold for each slider the names of its positions, on the page and in the address.
// `show(positions)` draws, and returns the result in words, or null while there is none.
// Returns a function that draws again.
function joinSliders(figure, {name, alt, texts, values, question}, show) {
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
    const described = setting ? `${setting}: ${said}` : said;
    for (const picture of figure.querySelectorAll(":is(.explorer-picture, .explorer-plane) > svg")) {
      picture.setAttribute("aria-label", `${alt} ${described}`.trim());
    }
    if (question) reply();
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
  // What the figure says to the reader's guess: more where the sliders show the answer.
  const guesses = figure.querySelector(".explorer-ask"), settings = Object.entries(question?.where ?? {});
  function reply() {
    const guess = guesses.querySelector(":checked")?.value;
    if (guess === undefined) return;
    const shown = settings.length && settings.every(([parameter, value]) =>
      inputs.find(input => input.name === parameter).ariaValueText === value);
    const kind = !shown ? "guessed" : guess === question.right ? "rightly" : "wrongly";
    guesses.querySelector("output").textContent = question[kind].replace("{}", () => guess);
  }
  if (guesses) guesses.addEventListener("change", reply);
  return redraw;
}
