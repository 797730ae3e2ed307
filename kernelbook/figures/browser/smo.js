// Sequential minimal optimisation, step by step.

const TOLERANCE = 1e-3; // the violation of the KKT conditions at which a run ends, in units of f
const MOST_STEPS = 2000;
const TINY = 1e-12; // the least curvature, in units of the diagonal, where two points have the same features
const FRAMES = 60; // pictures of a run to the end, at most
const SMALLEST = 1e-6; // share of C from which on an arc is drawn
const TOP = 1.5; // of the axes of a run's course

/** The states of a run for points [x₁, x₂] with labels y = ±1, from β = 0 on. G = Kβ − y is the gradient. */
function runSMO(points, y, kernel, C) {
  const K = points.map(u => points.map(v => kernel(u, v))), states = [];
  const lower = y.map(sign => Math.min(0, C * sign)), upper = y.map(sign => Math.max(0, C * sign));
  const beta = y.map(() => 0), G = y.map(sign => -sign);
  for (let pair = []; ;) {
    const growing = G.map((g, t) => beta[t] < upper[t] ? g : Infinity), least = Math.min(...growing);
    const falling = G.map((g, t) => beta[t] > lower[t] ? g : -Infinity), violation = Math.max(...falling) - least;
    const objective = beta.reduce((sum, each, t) => sum + each * (G[t] - y[t]), 0) / 2;
    states.push({pair, beta: [...beta], violation, objective, b: -least - violation / 2});
    if (violation <= TOLERANCE || states.length > MOST_STEPS) return states;
    const i = growing.findIndex(g => g <= least + TIE);
    const curvature = K.map((row, t) => Math.max(K[i][i] + row[t] - 2 * K[i][t], TINY * (K[i][i] + row[t])));
    const gains = falling.map((g, t) => Math.max(g - G[i], 0) ** 2 / curvature[t]);
    const j = placeOfLargest(gains);
    const move = Math.min((G[j] - G[i]) / curvature[j], upper[i] - beta[i], beta[j] - lower[j]);
    beta[i] = move === upper[i] - beta[i] ? upper[i] : beta[i] + move; // a bound is reached exactly
    beta[j] = move === beta[j] - lower[j] ? lower[j] : beta[j] - move;
    for (let t = 0; t < G.length; t++) G[t] += move * (K[i][t] - K[j][t]);
    pair = [i, j];
  }
}

function stepInWords(points, y, states, step) {
  const {pair, beta, violation, objective} = states[step], before = states[Math.max(step - 1, 0)].beta;
  const last = states.length - 1, all = states[last].violation > TOLERANCE ? `more than ${last}` : last;
  const moves = pair.map(t => `of the ${y[t] > 0 ? "circle" : "square"} at (${points[t].map(text).join(", ")}) from `
    + `${decimals(Math.abs(before[t]))} to ${decimals(Math.abs(beta[t]))}`);
  const told = pair.length ? "α " + moves.join(", ") : "every α is 0";
  return `Step ${step} of ${all}: ${told}. Violation ${decimals(Math.max(violation, 0))}; objective `
    + `${decimals(objective)}.`;
}

/** How many points have had an α > 0 up to this step, and have α = 0 again. */
function returned(states, step) {
  const before = states.slice(0, step);
  return states[step].beta.filter((each, t) => each === 0 && before.some(({beta}) => beta[t] !== 0)).length;
}

/**
 * A run of SMO on movable points in `holder`. Returns the drawing, `show`, which draws the state that the run has reached
 * for a choice of the sliders and returns it in words and numbers, and `restart`. Buttons under the drawing, and the space bar at
 * a point, go on. A run starts again when points or sliders move. `moved` is called when there is something else to be drawn.
 */
function smo(holder, given, moved) {
  const drawing = plane(holder, given), levels = levelsIn(drawing);
  const places = pointsIn(drawing, given, moved, CLASSES), {svg, edges} = drawing;
  const below = element(svg, "g", {}), [width, height] = given.size;
  const top = edges.bottom + PADDING.bottom + PADDING.top, bottom = height - PADDING.bottom;
  let step = 0, states = [], problem, timer;

  const buttons = [["One step", () => go(step + 1)], ["Run to the end", run], ["Start again", () => go(0)]];
  const row = holder.appendChild(document.createElement("div"));
  row.className = "explorer-buttons";
  row.append(...buttons.map(each => button(...each)));
  holder.addEventListener("keydown", event => {
    if (event.key !== " ") return;
    event.preventDefault(); // the page does not scroll
    go(step + 1);
  });

  function go(to) {
    stop();
    step = Math.min(to, states.length - 1);
    moved();
  }

  function stop() {
    if (!timer) return;
    timer = clearInterval(timer);
    svg.closest("figure").ariaBusy = false;
  }

  /** Shows the run as a film of a second, which a screen reader does not read out, or its end if motion is unwanted. */
  function run() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return go(states.length - 1);
    stop();
    svg.closest("figure").ariaBusy = true;
    const stride = Math.ceil((states.length - 1 - step) / FRAMES);
    timer = setInterval(() => {
      step = Math.min(step + stride, states.length - 1);
      if (step === states.length - 1) stop();
      moved();
    }, 1000 / FRAMES);
  }

  /** The share of the objective that is left to fall, and the violation, both from 1 at the start. */
  function drawCourse() {
    below.replaceChildren();
    const last = states.length - 1, [first, end] = [states[0], states[last]];
    const share = ({objective}) => 1 - objective / end.objective, violated = state => state.violation / first.violation;
    const box = [0, last, 0, TOP], ticks = [[0, last], [0, 1]];
    const {across, up, path} = frame(below, width, [top, bottom], {box, ticks, labels: ["step", "share left"]});
    const course = (value, until) => states.slice(0, until + 1).map((state, s) => [across(s), up(value(state))]);
    path(course(violated, last), FALLING);
    path(course(share, last), THIN);
    path(course(violated, step), GUIDE);
    path(course(share, step), FIT);
  }

  const show = choice => {
    const here = places(), settings = {...given, ...choice}, y = signsIn(drawing);
    const kernel = KERNELS[settings.kernel](settings), asked = JSON.stringify([here, y, choice]);
    if (asked !== problem) {
      stop();
      [problem, step, states] = [asked, 0, runSMO(here, y, kernel, settings.C)];
    }
    const {beta, b, pair} = states[step];
    const sum = x => beta.reduce((total, each, t) => each ? total + each * kernel(here[t], x) : total, 0);
    drawing.clear();
    drawSides(levels, {f: (...x) => sum(x) + b, b, constant: isConstant(here.map(sum))});
    here.forEach((at, t) => {
      const share = Math.abs(beta[t]) / settings.C;
      if (share > SMALLEST) drawing.dial(at, share, y[t] > 0 ? POSITIVE : NEGATIVE);
      if (pair.includes(t)) drawing.ring(at);
    });
    drawCourse();
    const [one, all, again] = row.children;
    one.disabled = all.disabled = step === states.length - 1;
    again.disabled = step === 0;
    const numbers = {points: y.length, step, steps: states.length - 1, returned: returned(states, step)};
    return {words: stepInWords(here, y, states, step), numbers};
  };
  return {show, drawing, restart: () => go(0)};
}
