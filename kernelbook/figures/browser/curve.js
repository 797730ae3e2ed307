// Kernel ridge regression through points [x, y], and the same curve with the band of a Gaussian process.

// Kernels as functions of |x − x'| in units of the width.
const SHAPES = {
  rbf: r => Math.exp(-r * r / 2),
  matern: r => (1 + Math.sqrt(3) * r) * Math.exp(-Math.sqrt(3) * r),
  laplacian: r => Math.exp(-r),
  rational: r => 1 / (1 + r * r / 2),
  periodic: r => Math.exp(-2 * Math.sin(r / 2) ** 2),
};
const SPREAD = 1.96; // standard deviations from the mean to the edge of a band that holds 95 %

/** f = Σ α_i k(x_i, ·) with (K + λI) α = y = LLᵀ α, and k_x = (k(x_i, x))_i. */
function fitRidge(points, {kernel, width}, ridge) {
  const y = points.map(([, value]) => value);
  const along = x => points.map(([place]) => SHAPES[kernel](Math.abs(x - place) / width));
  const K = points.map(([x]) => along(x));
  const L = cholesky(K.map((row, i) => row.map((value, j) => value + (i === j ? ridge : 0))));
  const alpha = backward(L, forward(L, y));
  return {y, K, L, alpha, along, f: x => dot(alpha, along(x))};
}

/** What is told of the ridge regression. A leave-one-out residual is α_i / [(K + λI)⁻¹]_ii. */
function curveInNumbers(points, settings) {
  const {y, K, L, alpha, f} = fitRidge(points, settings, settings.ridge_lambda);
  const inverse = y.map((_, i) => forward(L, y.map((_, j) => i === j ? 1 : 0))).map(column => dot(column, column));
  const residuals = alpha.map((a, i) => a / inverse[i]);
  return {
    f,
    others: y.map((value, i) => value - residuals[i]),
    freedom: inverse.reduce((sum, each) => sum + 1 - settings.ridge_lambda * each, 0),
    error: Math.sqrt(dot(residuals, residuals) / y.length),
    norm: Math.sqrt(Math.max(dot(alpha, K.map(row => dot(row, alpha))), 0)),
  };
}

function curveInWords({others, freedom, error, norm}) {
  return `Degrees of freedom ${decimals(freedom)} of ${others.length}; leave-one-out error ${decimals(error)}; `
    + `norm of f ${decimals(norm)}.`;
}

/** What is told of the Gaussian process with the prior covariance τ²k and noise of variance σ². */
function bandInNumbers(points, settings) {
  const {sigma, tau} = settings, {y, L, along, f} = fitRidge(points, settings, (sigma / tau) ** 2);
  const explained = x => { const v = forward(L, along(x)); return dot(v, v); };
  const half = x => SPREAD * tau * Math.sqrt(Math.max(1 - explained(x), 0)), v = forward(L, y);
  return {
    f, half,
    atPoints: points.reduce((sum, [x]) => sum + half(x), 0) / y.length,
    evidence: -dot(v, v) / (2 * tau ** 2) - L.reduce((sum, row, i) => sum + Math.log(row[i]), 0)
      - y.length / 2 * Math.log(2 * Math.PI * tau ** 2),
  };
}

function bandInWords({atPoints, evidence}, widest) {
  return `The band is f ± ${decimals(atPoints)} at the points, on average, and f ± ${decimals(widest)} where it is `
    + `widest; log evidence ${decimals(evidence)}.`;
}

const OTHERS = {r: 4, fill: PANEL, stroke: GREY, "stroke-width": 1.5}; // where the other points expect one

/**
 * The curve of movable points in `holder`. Returns the drawing and `show`, which solves and draws it for a choice of
 * the sliders and returns the result in words. `moved` is called when the reader has moved a point.
 */
function curve(holder, given, moved) {
  const drawing = plane(holder, given), places = pointsIn(drawing, given, moved), {across, up, area} = drawing;
  const show = choice => {
    const here = places(), found = curveInNumbers(here, {...given, ...choice});
    drawing.clear();
    here.forEach(([x, y], i) => drawing.path([[across(x), up(y)], [across(x), up(found.others[i])]], THIN));
    here.forEach(([x], i) => element(area, "circle", {cx: across(x), cy: up(found.others[i]), ...OTHERS}));
    drawing.curve(found.f, FIT);
    return {words: curveInWords(found)};
  };
  return {show, drawing};
}

/** The same with a band in place of what the other points expect. */
function band(holder, given, moved) {
  const drawing = plane(holder, given), places = pointsIn(drawing, given, moved), {across, up, area} = drawing;
  const grid = spread(...given.box.slice(0, 2), STEPS);
  const show = choice => {
    const found = bandInNumbers(places(), {...given, ...choice});
    const halves = grid.map(found.half), middle = grid.map(found.f);
    const edge = sign => grid.map((x, i) => [across(x), up(middle[i] + sign * halves[i])]);
    drawing.clear();
    element(area, "path", {d: outline([...edge(1), ...edge(-1).reverse()]) + "Z", fill: BAND});
    drawing.curve(found.f, FIT);
    return {words: bandInWords(found, Math.max(...halves))};
  };
  return {show, drawing};
}
