// The button that opens a page as a live notebook says first, in place, whether that can work. Another host is asked
// when the reader presses it, and not before.
addEventListener("DOMContentLoaded", () => {
  const PATIENCE = 5000; // milliseconds
  const fold = document.querySelector("details.live");
  if (!fold) return;
  const [way, repeat] = [fold.querySelector("a"), fold.querySelector("button")].map(part => part.parentElement);

  const say = state => {
    for (const answer of fold.querySelectorAll("[data-when]"))
      answer.hidden = !answer.dataset.when.split(" ").includes(state);
    way.hidden = state === "asking" || state === "folder";
    if (state === "asking") return; // the button that was pressed stays, or the focus would be lost
    const pressed = repeat.contains(document.activeElement);
    repeat.hidden = state !== "silent";
    if (pressed && repeat.hidden) way.firstElementChild.focus();
  };
  const reached = async () => {
    try {
      return (await fetch(fold.dataset.python, {cache: "no-store", signal: AbortSignal.timeout(PATIENCE)})).ok;
    } catch {
      return false; // no network, no answer in time, or a filter
    }
  };
  const ask = async () => {
    if (location.protocol === "file:") return say("folder");
    say("asking");
    say((await reached()) ? "ready" : "silent");
  };
  // The answer comes once the fold is open, because a screen reader says only what changes in sight.
  fold.querySelector("summary").addEventListener("click", () =>
    fold.addEventListener("toggle", () => fold.open && ask(), {once: true}));
  repeat.firstElementChild.addEventListener("click", ask);
});
