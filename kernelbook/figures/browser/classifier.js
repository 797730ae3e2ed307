// A support vector classifier with slack, solved again at every move of its points.

const FLAT = 1e-12; // curvature, in units of the diagonal, below which the objective counts as flat
const KKT_TOLERANCE = 1e-9; // the violation of the KKT conditions at which the solver stops, in units of f
const EDGE_TOLERANCE = 1e-6; // a point with |y f − 1| at most this is on the edge of the strip, whether or not α > 0
// If f differs by no more between the points, w = 0, as where one class lies inside the other.
const CONSTANT_TOLERANCE = 1e-6;

/**
 * minimise ½ βᵀKβ − yᵀβ subject to Σ β_i = 0 and 0 ≤ β_i y_i ≤ C, by sequential minimal optimisation.
 *
 * After 10 n pairs the free variables take a step together, since pairs are slow if C is large and K nearly singular.
 */
function solveDual(K, y, C) {
  const lower = y.map(sign => Math.min(0, C * sign)), upper = y.map(sign => Math.max(0, C * sign));
  const beta = y.map(() => 0);
  for (let round = 0; round < 100; round++) {
    if (movePairs(K, beta, gradient(K, y, beta), lower, upper, 10 * y.length)) break;
    while (moveFree(K, beta, gradient(K, y, beta), lower, upper));
  }
  return {beta, b: offset(beta, gradient(K, y, beta), lower, upper, 1e-9 * C)};
}

function gradient(K, y, beta) {
  return K.map((row, i) => dot(row, beta) - y[i]);
}

function dot(u, v) {
  return u.reduce((sum, value, i) => sum + value * v[i], 0);
}

function pairCurvature(K, i, j) {
  const both = K[i][i] + K[j][j];
  return Math.max(both - 2 * K[i][j], FLAT * both + Number.MIN_VALUE);
}

/** Up to `most` steps of SMO with the second-order choice of the pair; returns whether the KKT conditions hold. */
function movePairs(K, beta, G, lower, upper, most) {
  for (let step = 0; step < most; step++) {
    let i = -1;
    for (let t = 0; t < beta.length; t++) if (beta[t] < upper[t] && (i < 0 || G[t] < G[i])) i = t;
    let j = -1, best = 0, violation = 0;
    for (let t = 0; t < beta.length; t++) {
      if (!(beta[t] > lower[t] && G[t] > G[i])) continue;
      const gain = (G[t] - G[i]) ** 2 / pairCurvature(K, i, t);
      violation = Math.max(violation, G[t] - G[i]);
      if (gain > best) [j, best] = [t, gain];
    }
    if (violation <= KKT_TOLERANCE) return true;
    const length = (G[j] - G[i]) / pairCurvature(K, i, j);
    const move = Math.min(length, upper[i] - beta[i], beta[j] - lower[j]);
    beta[i] = move === upper[i] - beta[i] ? upper[i] : beta[i] + move; // a bound is reached exactly
    beta[j] = move === beta[j] - lower[j] ? lower[j] : beta[j] - move;
    for (let t = 0; t < beta.length; t++) G[t] += move * (K[i][t] - K[j][t]);
  }
  return false;
}

/**
 * Moves the free variables to their common minimum, or towards it as far as the box allows; returns true if one of them
 * has met its bound. The last free variable takes the opposite of the others' steps, so that the sum stays 0.
 */
function moveFree(K, beta, G, lower, upper) {
  const free = beta.map((_, t) => t).filter(t => beta[t] > lower[t] && beta[t] < upper[t]);
  if (free.length < 2) return false;
  const last = free.at(-1), others = free.slice(0, -1);
  const reduced = (i, j) => K[i][j] - K[i][last] - K[last][j] + K[last][last];
  const H = others.map(i => others.map(j => reduced(i, j) + (i === j ? FLAT * (K[i][i] + K[last][last]) : 0)));
  const move = solveLinear(H, others.map(i => G[last] - G[i]));
  move.push(-move.reduce((sum, m) => sum + m, 0));
  const slope = dot(free.map(t => G[t]), move);
  if (!(slope < 0)) return false;
  const curvature = dot(move, free.map(t => dot(free.map(s => K[t][s]), move)));
  const end = free.map((t, k) => move[k] > 0 ? upper[t] : lower[t]);
  const room = free.map((t, k) => move[k] === 0 ? Infinity : (end[k] - beta[t]) / move[k]);
  const nearest = Math.min(...room), length = Math.min(curvature > 0 ? -slope / curvature : Infinity, nearest);
  free.forEach((t, k) => { beta[t] = room[k] <= length ? end[k] : beta[t] + length * move[k]; });
  return length === nearest;
}

/** Solves A x = values by Gauss–Jordan elimination with partial pivoting. */
function solveLinear(A, values) {
  const rows = A.map((row, i) => [...row, values[i]]), n = rows.length;
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[pivot][c])) pivot = r;
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = 0; r < n; r++) {
      if (r === c) continue;
      const factor = rows[r][c] / rows[c][c];
      for (let k = c; k <= n; k++) rows[r][k] -= factor * rows[c][k];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

/** The mean of −G over the free variables; if none is free, the midpoint of the KKT interval. */
function offset(beta, G, lower, upper, near) {
  const mayGrow = beta.map((v, t) => v < upper[t] - near), mayFall = beta.map((v, t) => v > lower[t] + near);
  const free = G.filter((_, t) => mayGrow[t] && mayFall[t]);
  if (free.length > 0) return -free.reduce((sum, g) => sum + g, 0) / free.length;
  const low = Math.max(...G.map((g, t) => mayGrow[t] ? -g : -Infinity));
  const high = Math.min(...G.map((g, t) => mayFall[t] ? -g : Infinity));
  return (low + high) / 2;
}

const KERNELS = {
  linear: () => (u, v) => u[0] * v[0] + u[1] * v[1],
  rbf: ({gamma}) => (u, v) => Math.exp(-gamma * ((u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2)),
};

/** The classifier of points [x₁, x₂] with labels y = ±1, and the numbers that are told of it. */
function fitSVC(points, y, kernel, C) {
  const K = points.map(u => points.map(v => kernel(u, v))), {beta, b} = solveDual(K, y, C);
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
 * The classifier of movable points in `holder`. Returns their handles and `show`, which solves and draws it for a
 * choice of the sliders and returns the result in words. `moved` is called when the reader has moved a point.
 */
function classifier(holder, given, moved) {
  const drawing = plane(holder, given);
  given.points.forEach((at, i) =>
    handle(drawing, {name: given.names[i], at, mark: given.y[i] > 0 ? CIRCLE : SQUARE, moved}));
  const show = choice => {
    const here = drawing.handles.map(handle => handle.at), settings = {...given, ...choice};
    const found = fitSVC(here, given.y, KERNELS[given.kernel](settings), settings.C);
    drawing.clear();
    const values = drawing.sample(found.f);
    if (!found.constant || Math.abs(found.b) > CONSTANT_TOLERANCE) drawing.sides(values);
    if (!found.constant) {
      drawing.level(values, 0, FIT);
      for (const margin of [-1, 1]) drawing.level(values, margin, GUIDE);
    }
    here.forEach((at, i) => {
      if (found.onEdge[i]) drawing.ring(at);
      if (found.slack[i] > 0) drawing.diamond(at);
    });
    return classifierInWords(found);
  };
  return {show, handles: drawing.handles};
}
