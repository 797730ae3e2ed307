// A support vector classifier with slack, solved again at every move of its points.

/** The classifier of points [x₁, x₂] with labels y = ±1, and the numbers that are told of it. */
function fitSVC(points, y, kernel, C) {
  const K = points.map(u => points.map(v => kernel(u, v)));
  const lower = y.map(sign => Math.min(0, C * sign)), upper = y.map(sign => Math.max(0, C * sign));
  const {beta, b} = solveDual(K, y, lower, upper);
  const values = K.map(row => dot(row, beta));
  const constant = isConstant(values);
  const support = constant ? [] : points.map((_, i) => i).filter(i => beta[i] !== 0);
  const f = (...x) => support.reduce((sum, i) => sum + beta[i] * kernel(points[i], x), b);
  const length = constant ? 0 : Math.sqrt(dot(beta, values)), margins = points.map((u, i) => y[i] * f(...u));
  const slack = margins.map(margin => margin < 1 - EDGE_TOLERANCE ? 1 - margin : 0);
  return {
    f, b, length, constant, slack,
    shares: beta.map(each => Math.abs(each) / C),
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

/**
 * Whether a straight line separates the classes. The shortest link between their hulls joins two points, or a point and
 * an edge, so some line that separates is perpendicular to a link of two points or parallel to one.
 */
function isSeparable(points, y) {
  const apart = u => {
    const along = sign => points.filter((_, i) => y[i] === sign).map(x => dot(x, u));
    const positive = along(1), negative = along(-1);
    return Math.max(...negative) < Math.min(...positive) - 1e-6 || Math.max(...positive) < Math.min(...negative) - 1e-6;
  };
  return points.some(([x, z]) => points.some(([u, v]) => apart([x - u, z - v]) || apart([v - z, x - u])));
}

/**
 * The classifier of movable points in `holder`. Returns the drawing and `show`, which solves and draws it for a
 * choice of the sliders and returns the result in words and numbers. `moved` is called when the reader has moved a
 * point.
 */
function classifier(holder, given, moved) {
  const drawing = plane(holder, given), levels = levelsIn(drawing);
  const places = pointsIn(drawing, given, moved, CLASSES);

  const show = choice => {
    const here = places(), settings = {...given, ...choice}, y = signsIn(drawing);
    const found = fitSVC(here, y, KERNELS[settings.kernel](settings), settings.C);
    drawing.clear();
    drawSides(levels, found);
    here.forEach((at, i) => {
      if (found.shares[i] > EDGE_TOLERANCE) drawing.dial(at, found.shares[i], y[i] > 0 ? POSITIVE : NEGATIVE);
      if (found.onEdge[i]) drawing.ring(at);
      if (found.slack[i] > 0) drawing.diamond(at);
    });
    const numbers = {points: y.length, errors: found.errors, separable: Number(isSeparable(here, y))};
    return {words: classifierInWords(found), numbers};
  };
  return {show, drawing};
}
