// Eigenvalues of a matrix of a few points.

/** The eigenvalues of a symmetric A, largest first, and orthonormal eigenvectors, by the rotations of Jacobi. */
function eigen(A) {
  const B = A.map(row => [...row]), vectors = B.map((_, i) => B.map((_, j) => i === j ? 1 : 0)), n = B.length;
  const negligible = 1e-16 * Math.max(...B.flat().map(Math.abs));
  for (let sweep = 0, turned = true; turned && sweep < 30; sweep++) {
    turned = false;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(B[p][q]) <= negligible) continue;
        turned = true;
        rotate(p, q);
      }
    }
  }

  /** Turns the axes p and q, such that B[p][q] becomes 0. */
  function rotate(p, q) {
    const half = (B[q][q] - B[p][p]) / (2 * B[p][q]);
    const t = (half < 0 ? -1 : 1) / (Math.abs(half) + Math.hypot(half, 1)), c = 1 / Math.hypot(t, 1), s = t * c;
    const mix = (u, i, v, j) => { [u[i], v[j]] = [c * u[i] - s * v[j], s * u[i] + c * v[j]]; };
    for (let k = 0; k < n; k++) mix(B[k], p, B[k], q);
    for (let k = 0; k < n; k++) mix(B[p], k, B[q], k);
    for (let k = 0; k < n; k++) mix(vectors[p], k, vectors[q], k);
    B[p][q] = B[q][p] = 0;
  }

  const order = B.map((_, i) => i).sort((i, j) => B[j][j] - B[i][i]);
  return {values: order.map(i => B[i][i]), vectors: order.map(i => vectors[i])};
}

/** The vector or its opposite: the first entry that is clearly larger than half of the largest is positive. */
function oriented(u) {
  const large = (0.5 + 1e-6) * Math.max(...u.map(Math.abs)), first = u.find(value => Math.abs(value) >= large);
  return first < 0 ? u.map(value => -value) : u;
}
