// Level lines of a function of the plane, traced on a grid.

const MESH = 5; // pixels between the nodes of the grid

/** What draws the level lines of a sampled function in a plane, and its two sides. */
function levelsIn({area, path, box: [west, east, south, north], edges: {left, right, top, bottom}}) {
  /** f at the nodes of a grid, row by row from the north. */
  function sample(f) {
    const columns = spread(west, east, (right - left) / MESH), rows = spread(north, south, (bottom - top) / MESH);
    return rows.map(y => columns.map(x => f(x, y)));
  }

  const onPage = chain => chain.map(([row, column]) => [left + MESH * column, top + MESH * row]);

  function level(values, at, style) {
    for (const chain of contours(values, at)) path(onPage(chain), style);
  }

  /** The area where the sampled f is positive. */
  function above(values, fill) {
    // A wall of negative values around the grid closes every outline.
    const around = values[0].map(() => -1e12);
    const walled = [around, ...values, around].map(row => [-1e12, ...row, -1e12]);
    const outlines = contours(walled, 0).map(chain => onPage(chain.map(([row, column]) => [row - 1, column - 1])));
    element(area, "path", {d: outlines.map(outline).join(""), fill, "fill-rule": "evenodd"});
  }

  /** The two sides of the sampled f = 0, each in the colour of its class. */
  function sides(values) {
    element(area, "rect", {x: left, y: top, width: right - left, height: bottom - top, fill: REGIONS[0]});
    above(values, REGIONS[1]);
  }

  return {sample, level, above, sides};
}

/**
 * The lines on which the values at the nodes of a grid equal `level`: chains of [row, column], with fractions between
 * nodes. Going around a cell, one leaves the values above `level` at one edge and enters them again at another; a line
 * runs from the first edge to the second, and the cell beyond that edge continues it.
 */
function contours(values, level) {
  const rows = values.length, columns = values[0].length, after = new Map(), places = new Map();
  for (let i = 0; i + 1 < rows; i++) {
    for (let j = 0; j + 1 < columns; j++) {
      const above = (values[i][j] > level) + (values[i][j + 1] > level)
        + (values[i + 1][j] > level) + (values[i + 1][j + 1] > level);
      if (above % 4 !== 0) cross(i, j);
    }
  }

  function cross(i, j) {
    const corners = [[i, j], [i, j + 1], [i + 1, j + 1], [i + 1, j]], found = [];
    corners.forEach(([r, c], k) => {
      const [s, d] = corners[(k + 1) % 4], here = values[r][c] - level, there = values[s][d] - level;
      if ((here > 0) === (there > 0)) return;
      const edge = 2 * Math.min(r * columns + c, s * columns + d) + (r === s ? 0 : 1), share = here / (here - there);
      places.set(edge, [r + share * (s - r), c + share * (d - c)]);
      found.push({edge, leaves: here > 0});
    });
    found.forEach(({edge, leaves}, k) => {
      if (leaves) after.set(edge, found[(k + 1) % found.length].edge);
    });
  }

  function follow(edge) {
    const chain = [];
    while (edge !== undefined) {
      chain.push(places.get(edge));
      const following = after.get(edge);
      after.delete(edge);
      edge = following;
    }
    return chain;
  }

  const reached = new Set(after.values());
  const open = [...after.keys()].filter(edge => !reached.has(edge)).map(follow);
  const closed = [];
  while (after.size > 0) closed.push(follow(after.keys().next().value));
  return [...open, ...closed];
}
