// An explorer whose frames were drawn beforehand. A frame is a list of parts, most of them shared with other frames. They
// arrive by a call of `figure.take(i, {parts, frames, results})`, from a file beside the page once the reader is near:
// i = 0 on a desk, or where there is one picture for all screens, and i = 1 on a phone.
function showFrames(figure, named) {
  const holder = figure.querySelector(".explorer-picture"), pictures = [...holder.querySelectorAll("svg")];
  const phone = matchMedia("(width < 31.25rem)"), drawn = [];
  const screen = () => pictures.length > 1 && phone.matches ? 1 : 0;
  const {redraw, controls} = joinControls(figure, named, positions => {
    const here = drawn[screen()];
    // Until frames arrive, the first picture is dimmed if it is not the one asked for.
    figure.classList.toggle("waiting", !here && controls.some(({position, start}) => position !== start));
    if (!here) return null;
    const frame = positions.reduce((place, position, i) => place * named.texts[i].length + position, 0);
    const page = document.createElement("template");
    page.innerHTML = here.frames[frame].map(part => here.parts[part]).join("\n");
    pictures[screen()].replaceChildren(...page.content.firstElementChild.childNodes);
    if (here.goal) showLeast(here.goal[frame]);
    return here.results[frame];
  });

  let least = Infinity;
  function showLeast([place, line]) {
    if (place >= least) return;
    least = place;
    figure.querySelector(".explorer-goal").textContent = line;
  }

  figure.take = (i, frames) => {
    drawn[i] = frames;
    figure.classList.remove("loading");
    redraw();
  };
  figure.classList.add("loading");
  redraw();
  if (!holder.dataset.frames) return;

  const load = () => {
    if (drawn[screen()]) return redraw();
    const script = document.createElement("script");
    script.onerror = () => { // the first picture stays, with its setting and its result
      figure.classList.remove("loading");
      for (const control of controls) {
        control.position = control.start;
        control.disable();
      }
      redraw();
      figure.querySelector(".explorer-result").append(" The other pictures did not load.");
    };
    script.src = holder.dataset.frames.split(" ")[screen()];
    figure.append(script);
  };
  const near = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    near.disconnect();
    load();
    phone.addEventListener("change", load);
  }, {rootMargin: "100%"});
  const watch = () => near.observe(figure);
  document.readyState === "complete" ? watch() : addEventListener("load", watch);
}
