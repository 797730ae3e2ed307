// An explorer whose frames were drawn beforehand. A frame is a list of parts, most of them shared with other frames. They
// arrive by a call of `figure.take({parts, frames, results})`, from a file beside the page once the reader is near.
function showFrames(figure, named) {
  const image = figure.querySelector("img");
  let drawn = null;
  const redraw = joinSliders(figure, named, positions => {
    if (!drawn) return null;
    const frame = positions.reduce((place, position, i) => place * named.texts[i].length + position, 0);
    const svg = drawn.frames[frame].map(part => drawn.parts[part]).join("\n");
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    return drawn.results[frame];
  });
  figure.take = frames => {
    drawn = frames;
    figure.classList.remove("loading");
    redraw();
  };
  figure.classList.add("loading");
  redraw();
  if (!image.dataset.frames) return;

  const load = () => {
    const script = document.createElement("script");
    script.onerror = () => { // the first picture stays, with its setting and its result
      figure.classList.remove("loading");
      figure.querySelectorAll("input[type=range]").forEach(input =>
        Object.assign(input, {value: input.defaultValue, disabled: true}));
      redraw();
      figure.querySelector(".explorer-result").append(" The other pictures did not load.");
    };
    script.src = image.dataset.frames;
    figure.append(script);
  };
  const near = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    near.disconnect();
    load();
  }, {rootMargin: "100%"});
  const watch = () => near.observe(figure);
  document.readyState === "complete" ? watch() : addEventListener("load", watch);
}
