// Support vector regression, solved again at every move of its points.

/** The tube around points [x, y], and the numbers that are told of it. β_i > 0 pulls the curve up, β_i < 0 down. */
function fitSVR(points, kernel, C, epsilon) {
  const n = points.length, k = (x, z) => kernel([x], [z]), twice = [...points, ...points];
  const K = twice.map(([x]) => twice.map(([z]) => k(x, z))), above = i => i < n;
  const g = twice.map(([, y], i) => above(i) ? y - epsilon : y + epsilon);
  const solved = solveDual(K, g, g.map((_, i) => above(i) ? 0 : -C), g.map((_, i) => above(i) ? C : 0)), {b} = solved;
  const beta = points.map((_, i) => solved.beta[i] + solved.beta[n + i]);
  const f = x => points.reduce((sum, [z], i) => sum + beta[i] * k(x, z), b);
  const beyond = points.map(([x, y]) => Math.abs(y - f(x)) - epsilon), outside = beyond.map(r => r > EDGE_TOLERANCE);
  const squared = points.reduce((sum, [x], i) => sum + beta[i] * (f(x) - b), 0);
  return {
    f, beta, outside,
    onEdge: beyond.map(r => Math.abs(r) <= EDGE_TOLERANCE),
    norm: Math.sqrt(Math.max(squared, 0)),
    objective: squared / 2 + C * beyond.reduce((sum, r, i) => sum + (outside[i] ? r : 0), 0),
  };
}

function tubeInWords({outside, onEdge, norm, objective}) {
  const inside = outside.length - count(outside) - count(onEdge);
  return `Points inside the tube ${inside}, on its edge ${count(onEdge)}, outside ${count(outside)}; `
    + `norm of f ${decimals(norm)}; objective ${decimals(objective)}.`;
}

const FORCE = {stroke: POSITIVE, "stroke-width": 3};
const LONGEST = 50, HEAD = 6; // pixels: the arrow of the force C, and the size of its head

/**
 * The tube of movable points in `holder`. Returns the drawing and `show`, which solves and draws it for a choice of
 * the sliders and returns the result in `words`. `moved` is called when the reader has moved a point.
 */
function tube(holder, given, moved) {
  const drawing = plane(holder, given), places = pointsIn(drawing, given, moved), {across, up} = drawing;

  /** An arrow from the curve up or down, for a force in units of C. */
  function arrow(x, force, foot) {
    const length = LONGEST * force, tip = foot - length, at = across(x);
    const side = Math.min(HEAD, Math.abs(length)), back = tip + Math.sign(force) * side;
    drawing.path([[at, foot], [at, tip], [at - side, back], [at, tip], [at + side, back]], FORCE);
  }

  const show = choice => {
    const here = places(), settings = {...given, ...choice}, {C, epsilon} = settings;
    const found = fitSVR(here, KERNELS[given.kernel](settings), C, epsilon);
    drawing.clear();
    for (const sign of [-1, 1]) drawing.curve(x => found.f(x) + sign * epsilon, GUIDE);
    drawing.curve(found.f, FIT);
    here.forEach(([x], i) => {
      const force = found.beta[i] / C;
      if (Math.abs(force) > EDGE_TOLERANCE) arrow(x, force, up(found.f(x)));
    });
    here.forEach((at, i) => {
      if (found.onEdge[i]) drawing.ring(at);
      if (found.outside[i]) drawing.diamond(at);
    });
    return {words: tubeInWords(found)};
  };
  return {show, drawing};
}
