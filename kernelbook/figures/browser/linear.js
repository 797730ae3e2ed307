// Linear algebra of a few points.

function dot(u, v) {
  let sum = 0;
  for (let i = 0; i < u.length; i++) sum += u[i] * v[i];
  return sum;
}

/** The lower triangular L with LLᵀ = A, for a positive definite A. */
function cholesky(A) {
  const L = A.map(row => row.map(() => 0));
  for (let i = 0; i < A.length; i++) {
    for (let j = 0; j <= i; j++) {
      const left = A[i][j] - dot(L[i].slice(0, j), L[j]);
      L[i][j] = i === j ? Math.sqrt(left) : left / L[j][j];
    }
  }
  return L;
}

/** L⁻¹ v. */
function forward(L, v) {
  const x = [];
  for (let i = 0; i < v.length; i++) x.push((v[i] - dot(x, L[i])) / L[i][i]);
  return x;
}

/** L⁻ᵀ v. */
function backward(L, v) {
  const x = v.map(() => 0);
  for (let i = v.length - 1; i >= 0; i--) x[i] = (v[i] - dot(x, L.map(row => row[i]))) / L[i][i];
  return x;
}

const TIE = 1e-9; // numbers that differ by less, as a share, are equal

/** The place of the largest of some numbers ≥ 0; of equal ones, the first. */
function placeOfLargest(values) {
  const least = Math.max(...values) * (1 - TIE);
  return values.findIndex(value => value >= least);
}
