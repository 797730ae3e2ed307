// A function f = Σ a_i k(x_i, ·) of the kernel k(x, x') = exp(−γ (x − x')²): each bell is a point, at (x_i, a_i).

const ORIGIN = 0; // |f(x) − f(ORIGIN)| ≤ ‖f‖ d(x, ORIGIN), with the distance d in feature space

/** ‖f‖ and the values f(x_i) at the centres, for bells [x_i, a_i]. */
function bellsInNumbers(bells, gamma) {
  const values = bells.map(([x]) => bellsAt(bells, gamma, x));
  const squared = bells.reduce((sum, [, a], i) => sum + a * values[i], 0);
  return {norm: Math.sqrt(Math.max(squared, 0)), values};
}

function bellsAt(bells, gamma, x) {
  return bells.reduce((sum, [center, a]) => sum + a * Math.exp(-gamma * (x - center) ** 2), 0);
}

function bellsInWords(bells, {norm, values}) {
  const places = bells.map(([x], i) => `f(${text(x)}) = ${decimals(values[i])}`);
  return `The norm is ${decimals(norm)}; ${places.join(", ")}.`;
}

/**
 * Movable bells in `holder`. Returns the drawing and `show`, which draws the bells for a choice of the sliders and
 * returns the result in words. `moved` is called when the reader has moved a point.
 */
function bells(holder, given, moved) {
  const drawing = plane(holder, given), places = pointsIn(drawing, given, moved);
  const show = choice => {
    const here = places();
    const {gamma} = {...given, ...choice}, numbers = bellsInNumbers(here, gamma);
    const reach = x => numbers.norm * Math.sqrt(2 - 2 * Math.exp(-gamma * (x - ORIGIN) ** 2));
    const f = x => bellsAt(here, gamma, x);
    drawing.clear();
    for (const bell of here) drawing.curve(x => bellsAt([bell], gamma, x), THIN);
    for (const sign of [-1, 1]) drawing.curve(x => f(ORIGIN) + sign * reach(x), GUIDE);
    drawing.curve(f, FIT);
    return {words: bellsInWords(here, numbers)};
  };
  return {show, drawing};
}
