// Kernels of points of the plane.

const KERNELS = {
  linear: () => dot,
  quadratic: () => (u, v) => (1 + dot(u, v)) ** 2,
  rbf: ({gamma}) => (u, v) => Math.exp(-gamma * squaredDistance(u, v)),
  laplacian: ({gamma}) => (u, v) => Math.exp(-gamma * Math.sqrt(squaredDistance(u, v))),
};

function squaredDistance(u, v) {
  let sum = 0;
  for (let i = 0; i < u.length; i++) sum += (u[i] - v[i]) ** 2;
  return sum;
}
