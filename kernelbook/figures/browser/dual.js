// The dual problem of support vector machines, solved again at every move of a point.

const FLAT = 1e-12; // curvature, in units of the diagonal, below which the objective counts as flat
const KKT_TOLERANCE = 1e-9; // the violation of the KKT conditions at which the solver stops, in units of f
const EDGE_TOLERANCE = 1e-6; // a point that is off the edge of strip or tube by at most this is on it, α > 0 or not

/**
 * minimise ½ βᵀKβ − gᵀβ subject to lower ≤ β ≤ upper and a given Σ β_i, by sequential minimal optimisation. It begins
 * at `start`, which has this sum; without one the sum is 0. Returns β, and b such that g_i − (Kβ)_i = b for every free
 * β_i.
 *
 * After 10 n pairs the free variables take a step together, since pairs are slow if the box is large and K nearly
 * singular.
 */
function solveDual(K, g, lower, upper, start = g.map(() => 0)) {
  const beta = [...start];
  for (let round = 0; round < 100; round++) {
    if (movePairs(K, beta, gradient(K, g, beta), lower, upper, 10 * g.length)) break;
    while (moveFree(K, beta, gradient(K, g, beta), lower, upper));
  }
  return {beta, b: offset(beta, gradient(K, g, beta), lower, upper)};
}

function gradient(K, g, beta) {
  return K.map((row, i) => dot(row, beta) - g[i]);
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
 * has met its bound. The last free variable takes the opposite of the others' steps, so that the sum stays.
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

function count(list) {
  return list.filter(Boolean).length;
}

/** The mean of −G over the free variables; if none is free, the midpoint of the KKT interval. */
function offset(beta, G, lower, upper) {
  const near = upper.map((end, t) => 1e-9 * (end - lower[t]));
  const mayGrow = beta.map((v, t) => v < upper[t] - near[t]), mayFall = beta.map((v, t) => v > lower[t] + near[t]);
  const free = G.filter((_, t) => mayGrow[t] && mayFall[t]);
  if (free.length > 0) return -free.reduce((sum, g) => sum + g, 0) / free.length;
  const low = Math.max(...G.map((g, t) => mayGrow[t] ? -g : -Infinity));
  const high = Math.min(...G.map((g, t) => mayFall[t] ? -g : Infinity));
  return (low + high) / 2;
}
