// Kernel ridge regression through points [x, y], and the same curve with the band of a Gaussian process.

// Kernels as functions of |x − x'| in units of the width.
const SHAPES = {
  rbf: r => Math.exp(-r * r / 2),
  matern: r => (1 + Math.sqrt(3) * r) * Math.exp(-Math.sqrt(3) * r),
  laplacian: r => Math.exp(-r),
  rational: r => 1 / (1 + r * r / 2),
  periodic: r => Math.exp(-2 * Math.sin(r / 2) ** 2),
};
const LEAST_PIVOT = 1e-8; // squared distance of k(x_i, ·) from the span of the others below which norms lose digits
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

/**
 * What is told of the ridge regression: undefined if no interpolant is drawn. A leave-one-out residual is
 * α_i / [(K + λI)⁻¹]_ii. For λ = 0 the price of a point is by how much ‖f‖² falls without it.
 */
function curveInNumbers(points, settings) {
  const {ridge_lambda: ridge} = settings, {y, K, L, alpha, f} = fitRidge(points, settings, ridge);
  if (!L.every((row, i) => row[i] ** 2 >= LEAST_PIVOT)) return undefined;
  const inverse = y.map((_, i) => forward(L, y.map((_, j) => i === j ? 1 : 0))).map(column => dot(column, column));
  const residuals = alpha.map((a, i) => a / inverse[i]);
  return {
    f, ridge,
    others: y.map((value, i) => value - residuals[i]),
    freedom: inverse.reduce((sum, each) => sum + 1 - ridge * each, 0),
    error: Math.sqrt(dot(residuals, residuals) / y.length),
    norm: Math.sqrt(Math.max(dot(alpha, K.map(row => dot(row, alpha))), 0)),
    prices: alpha.map((a, i) => a * residuals[i]),
  };
}

function curveInWords(points, found) {
  const x = points.map(([place]) => place);
  if (!found) {
    const close = "some points are too close for this kernel";
    return `No f is drawn: ${new Set(x).size < x.length ? "two points stand at one place" : close}.`;
  }
  const {ridge, freedom, error, norm, prices} = found;
  if (ridge === 0) {
    const dearest = placeOfLargest(prices), left = Math.sqrt(Math.max(norm ** 2 - prices[dearest], 0));
    return `The norm of f is ${decimals(norm)}; without the point at x = ${text(x[dearest])}, which costs most, it `
      + `would be ${decimals(left)}.`;
  }
  return `Degrees of freedom ${decimals(freedom)} of ${x.length}; leave-one-out error ${decimals(error)}; `
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
 * the sliders and returns the result in words and numbers. `moved` is called when the reader has moved a point.
 */
function curve(holder, given, moved) {
  const drawing = plane(holder, given), places = pointsIn(drawing, given, moved), {across, up, area} = drawing;
  const show = choice => {
    const here = places(), found = curveInNumbers(here, {...given, ...choice});
    drawing.clear();
    if (found) {
      here.forEach(([x, y], i) => drawing.path([[across(x), up(y)], [across(x), up(found.others[i])]], THIN));
      here.forEach(([x], i) => element(area, "circle", {cx: across(x), cy: up(found.others[i]), ...OTHERS}));
      drawing.curve(found.f, FIT);
    }
    return {words: curveInWords(here, found), numbers: {points: here.length, norm: found?.norm ?? 0}};
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
