// A support vector classifier with slack, solved again at every move of its points.

// If f differs by no more between the points, w = 0, as where one class lies inside the other.
const CONSTANT_TOLERANCE = 1e-6;

/** The classifier of points [x₁, x₂] with labels y = ±1, and the numbers that are told of it. */
function fitSVC(points, y, kernel, C) {
  const K = points.map(u => points.map(v => kernel(u, v)));
  const lower = y.map(sign => Math.min(0, C * sign)), upper = y.map(sign => Math.max(0, C * sign));
  const {beta, b} = solveDual(K, y, lower, upper);
  const values = K.map(row => dot(row, beta));
  const constant = Math.max(...values) - Math.min(...values) <= CONSTANT_TOLERANCE;
  const support = constant ? [] : points.map((_, i) => i).filter(i => beta[i] !== 0);
  const f = (...x) => support.reduce((sum, i) => sum + beta[i] * kernel(points[i], x), b);
  const length = constant ? 0 : Math.sqrt(dot(beta, values)), margins = points.map((u, i) => y[i] * f(...u));
  const slack = margins.map(margin => margin < 1 - EDGE_TOLERANCE ? 1 - margin : 0);
  return {
    f, b, length, constant, slack,
    onEdge: margins.map(margin => Math.abs(margin - 1) <= EDGE_TOLERANCE),
    errors: count(margins.map(margin => margin <= EDGE_TOLERANCE)),
    objective: length ** 2 / 2 + C * slack.reduce((sum, one) => sum + one, 0),
  };
}

function classifierInWords({b, length, constant, slack, onEdge, errors, objective}) {
  const line = constant ? `no line, f = ${decimals(b)} everywhere` : `full margin ${decimals(2 / length)}`;
  return `Points on the edge ${count(onEdge)}, with slack ${count(slack)}; training errors ${errors}; `
    + `${line}; objective ${decimals(objective)}.`;
}

function count(list) {
  return list.filter(Boolean).length;
}

const CIRCLE = {tag: "circle", attributes: {r: 6, fill: POSITIVE}};
const SQUARE = {tag: "rect", attributes: {x: -5.5, y: -5.5, width: 11, height: 11, fill: NEGATIVE}};

/**
 * The classifier of movable points in `holder`. Returns the drawing and `show`, which solves and draws it for a
 * choice of the sliders and returns the result in words. `moved` is called when the reader has moved a point.
 */
function classifier(holder, given, moved) {
  const drawing = plane(holder, given), levels = levelsIn(drawing);
  const places = pointsIn(drawing, given, moved, i => given.y[i] > 0 ? CIRCLE : SQUARE);
  const show = choice => {
    const here = places(), settings = {...given, ...choice};
    const found = fitSVC(here, given.y, KERNELS[given.kernel](settings), settings.C);
    drawing.clear();
    const values = levels.sample(found.f);
    if (!found.constant || Math.abs(found.b) > CONSTANT_TOLERANCE) levels.sides(values);
    if (!found.constant) {
      levels.level(values, 0, FIT);
      for (const margin of [-1, 1]) levels.level(values, margin, GUIDE);
    }
    here.forEach((at, i) => {
      if (found.onEdge[i]) drawing.ring(at);
      if (found.slack[i] > 0) drawing.diamond(at);
    });
    return classifierInWords(found);
  };
  return {show, drawing};
}
