// The first components of a kernel principal component analysis, found again at every move of its points.

const LEAST_EIGENVALUE = 1e-9; // a smaller one, in units of the largest k(x, x), counts as 0
const SAME_EIGENVALUE = 1e-6; // two that differ by less, in units of the largest, count as equal

/** The m-th component of points [x₁, x₂] as a function f of the plane, and the shares of the first three. */
function fitComponent(points, kernel, m) {
  const n = points.length, K = points.map(u => points.map(v => kernel(u, v)));
  const means = K.map(row => row.reduce((sum, value) => sum + value, 0) / n);
  const mean = means.reduce((sum, value) => sum + value, 0) / n;
  const centred = K.map((row, i) => row.map((value, j) => value - means[i] - means[j] + mean));
  const {values, vectors} = eigen(centred), least = LEAST_EIGENVALUE * Math.max(...K.map((row, i) => row[i]));
  const trace = centred.reduce((sum, row, i) => sum + row[i], 0);
  const mu = [0, 1, 2].map(i => values[i] > least ? values[i] : 0), own = mu[m - 1];
  const shares = mu.map(value => value && value / trace);
  if (own === 0) return {shares};
  const alpha = oriented(vectors[m - 1]).map(value => value / Math.sqrt(own)), shift = dot(alpha, means);
  return {
    shares,
    f: (...x) => points.reduce((sum, point, i) => sum + alpha[i] * kernel(point, x), -shift),
    deviation: Math.sqrt(own / n),
    isUnique: mu.every((value, i) => i === m - 1 || Math.abs(value - own) > SAME_EIGENVALUE * mu[0]),
  };
}

function componentInWords({shares, f, isUnique}, m) {
  const name = `${m > 1 ? "second" : "first"} component`, all = shares.map(decimals);
  const has = f ? `The ${name} has ${all[m - 1]} of the variance` : `There is no ${name}`;
  return `${has}; the shares of the first three are ${all.join(", ")}.${f && !isUnique ? " It is not unique." : ""}`;
}

/**
 * Level lines of a component of movable points in `holder`. Returns the drawing and `show`, which solves and draws it
 * for a choice of the sliders and returns the result in words and numbers. `moved` is called when the reader has moved
 * a point.
 */
function components(holder, given, moved) {
  const drawing = plane(holder, given), levels = levelsIn(drawing), places = pointsIn(drawing, given, moved);
  const show = choice => {
    const here = places(), settings = {...given, ...choice}, m = settings.component === "second" ? 2 : 1;
    const found = fitComponent(here, KERNELS[settings.kernel](settings), m);
    drawing.clear();
    if (found.f) {
      const values = levels.sample(found.f);
      for (let step = -6; step <= 6; step++) {
        levels.level(values, step * found.deviation / 2, step < 0 ? FALLING : step > 0 ? THIN : FIT);
      }
    }
    const [first, second] = found.shares, numbers = {points: here.length, first, gap: first - second};
    return {words: componentInWords(found, m), numbers};
  };
  return {show, drawing};
}
