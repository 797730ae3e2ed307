// A one-class machine, solved again at every move of its points.

/** The machine of points [x₁, x₂], and the numbers that are told of it. A point is outside where f < ρ. */
function fitOneClass(points, kernel, nu) {
  const K = points.map(u => points.map(v => kernel(u, v))), total = nu * points.length;
  const start = points.map((_, i) => Math.min(1, Math.max(0, total - i))); // any with the right sum
  const {beta, b} = solveDual(K, K.map(() => 0), K.map(() => 0), K.map(() => 1), start), rho = -b;
  const values = K.map(row => dot(row, beta)), center = dot(beta, values) / total ** 2;
  return {
    beta, rho, total,
    f: (...x) => points.reduce((sum, point, i) => sum + beta[i] * kernel(point, x), 0),
    outside: values.map(value => value < rho - EDGE_TOLERANCE),
    onEdge: values.map(value => Math.abs(value - rho) <= EDGE_TOLERANCE),
    squaredRadius: 1 + center - 2 * rho / total,
  };
}

function oneClassInWords({total, outside, onEdge, rho, squaredRadius}) {
  const inside = outside.length - count(outside) - count(onEdge);
  return `Points inside ${inside}, on the edge ${count(onEdge)}, outside ${count(outside)}, where νn = `
    + `${decimals(total)}; ρ = ${decimals(rho)}, squared radius ${decimals(squaredRadius)}.`;
}

/**
 * The one-class machine of movable points in `holder`. Returns the drawing and `show`, which solves and draws it for a
 * choice of the sliders and returns the result in words and numbers. `moved` is called when the reader has moved a
 * point.
 */
function oneClass(holder, given, moved) {
  const drawing = plane(holder, given), levels = levelsIn(drawing), places = pointsIn(drawing, given, moved);
  const show = choice => {
    const here = places(), settings = {...given, ...choice};
    const found = fitOneClass(here, KERNELS[settings.kernel](settings), settings.nu);
    const values = levels.sample((...x) => found.f(...x) - found.rho);
    drawing.clear();
    levels.above(values, BAND);
    levels.level(values, 0, FIT);
    here.forEach((at, i) => {
      if (found.beta[i] > EDGE_TOLERANCE) drawing.dial(at, found.beta[i], POSITIVE);
      if (found.onEdge[i]) drawing.ring(at);
      if (found.outside[i]) drawing.diamond(at);
    });
    const {nu, gamma} = settings, numbers = {points: here.length, outside: count(found.outside), nu, gamma};
    return {words: oneClassInWords(found), numbers};
  };
  return {show, drawing};
}
