// Clusters of points: k-means, kernel k-means, and k-means on eigenvectors of a graph.

const LEAST_GAIN = 1e-9; // of a move, in units of the whole scatter
const LEAST_GAP = 1e-6; // between eigenvalues below which the eigenvectors, and with them the groups, are not unique
const LEAST_WEIGHT = 0.02; // of an edge that is drawn
const WIDEST = 5; // pixels, an edge of weight 1
const COLOURS = [NEGATIVE, POSITIVE, "var(--class-2,#009e73)"];
const SQUARE_MARK = "M-5 -5h10v10h-10Z", DISC = "M-5.5 0a5.5 5.5 0 1 1 11 0a5.5 5.5 0 1 1 -11 0Z";
const MARKS = [SQUARE_MARK, DISC, "M0 -6.5l6.5 11h-13Z"];
const MARGIN = 0.12; // around the coordinates below, as a share of their range

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** For each point and group the squared distance in the space of K to the mean of the group; 0 for an empty group. */
function distances(K, labels, q) {
  const sizes = Array.from({length: q}, (_, c) => labels.filter(label => label === c).length || 1);
  const sums = K.map(row => sizes.map((_, c) => sumOf(row.filter((_, j) => labels[j] === c))));
  const squares = sizes.map((size, c) => sumOf(sums.filter((_, i) => labels[i] === c).map(row => row[c])) / size ** 2);
  const isEmpty = c => !labels.includes(c);
  return K.map((row, i) => sizes.map((size, c) =>
    isEmpty(c) ? 0 : Math.max(row[i] - 2 * sums[i][c] / size + squares[c], 0)));
}

function scatterInside(K, labels, q) {
  return sumOf(distances(K, labels, q).map((row, i) => row[labels[i]]));
}

/** Groups by the seeds that a start leads to: the next seed is the point that is farthest from all before. */
function seeded(K, start, q) {
  const apart = i => K.map((row, j) => Math.max(K[i][i] + row[j] - 2 * K[i][j], 0)), seeds = [apart(start)];
  while (seeds.length < q) seeds.push(apart(placeOfLargest(K.map((_, j) => Math.min(...seeds.map(row => row[j]))))));
  const farthest = Math.max(...seeds.flat());
  return K.map((_, j) => placeOfLargest(seeds.map(row => farthest - row[j])));
}

/** Groups of least scatter: from each start, the best move of one point to another group, as long as there is one. */
function kMeans(K, q) {
  const n = K.length, whole = scatterInside(K, K.map(() => 0), 1), tolerance = LEAST_GAIN * whole;
  let best, least = Infinity;
  for (let start = 0; start < n; start++) {
    const labels = seeded(K, start, q);
    for (let moves = 0; moves < 10 * n; moves++) {
      const sizes = Array.from({length: q}, (_, c) => labels.filter(label => label === c).length);
      const gains = distances(K, labels, q).map((row, i) => {
        const own = sizes[labels[i]], leaves = own > 1 ? own / (own - 1) * row[labels[i]] : 0;
        return row.map((square, c) => c === labels[i] ? 0 : Math.max(leaves - sizes[c] / (sizes[c] + 1) * square, 0));
      }).flat();
      const place = placeOfLargest(gains);
      if (gains[place] <= tolerance) break;
      labels[Math.floor(place / q)] = place % q;
    }
    const scatter = scatterInside(K, labels, q);
    if (scatter < least - tolerance) [best, least] = [labels, scatter];
  }
  const order = [...new Set(best)];
  return best.map(label => order.indexOf(label));
}

/** Groups of points [x₁, x₂] by a method, two coordinates of each point, and the numbers that are told. */
function findClusters(points, method, gamma, q) {
  const plain = points.map(u => points.map(v => dot(u, v))), bell = KERNELS.rbf({gamma});
  const likeness = points.map(u => points.map(v => bell(u, v)));
  const W = likeness.map((row, i) => row.map((weight, j) => i === j ? 0 : weight)), degrees = W.map(sumOf);
  let K = plain, coordinates = points, isUnique = true;
  if (method === "kernel k-means") {
    const means = likeness.map(row => sumOf(row) / row.length), mean = sumOf(means) / means.length;
    K = likeness.map((row, i) => row.map((value, j) => value - means[i] - means[j] + mean));
    coordinates = columns(eigen(K), [0, 1], (u, value) => oriented(u).map(each => each * Math.sqrt(Math.max(value, 0))));
  }
  if (method === "spectral") {
    const found = eigen(W.map((row, i) => row.map((weight, j) => weight / Math.sqrt(degrees[i] * degrees[j]))));
    const heights = u => oriented(u).map((each, i) => each / Math.sqrt(degrees[i]));
    const rows = columns(found, Array.from({length: q}, (_, i) => i), heights);
    K = rows.map(u => rows.map(v => dot(u, v)));
    coordinates = columns(found, [1, 2], heights);
    isUnique = q >= points.length || found.values[q - 1] - found.values[q] > LEAST_GAP;
  }
  const labels = kMeans(K, q), groups = [...new Set(labels)].sort();
  const volume = c => sumOf(degrees.filter((_, i) => labels[i] === c));
  const cut = c => sumOf(W.map((row, i) => labels[i] === c ? sumOf(row.filter((_, j) => labels[j] !== c)) : 0));
  const whole = scatterInside(plain, labels.map(() => 0), 1);
  return {
    labels, coordinates, W, isUnique,
    sizes: groups.map(c => labels.filter(label => label === c).length),
    scatter: whole > 0 ? scatterInside(plain, labels, q) / whole : 0,
    cut: sumOf(groups.map(c => cut(c) / volume(c))),
  };
}

/** Some eigenvectors, each changed by a function, as a row of coordinates for each point; 0 for those there are not. */
function columns({values, vectors}, which, changed) {
  const found = which.map(m => vectors[m] ? changed(vectors[m], values[m]) : values.map(() => 0));
  return values.map((_, i) => found.map(column => column[i]));
}

function clustersInWords({sizes, scatter, cut, isUnique}) {
  return `Groups of ${sizes.join(", ")} points; inside them ${decimals(scatter)} of the scatter in the plane; normalised `
    + `cut ${decimals(cut)}.${isUnique ? "" : " The eigenvectors are not unique."}`;
}

/**
 * Clusters of movable points in `holder`. Returns the drawing and `show`, which finds and draws them for a choice of the
 * sliders and returns the result in words and numbers. `moved` is called when the reader has moved a point.
 */
function clusters(holder, given, moved) {
  const drawing = plane(holder, given), places = pointsIn(drawing, given, moved), {svg, edges, across, up} = drawing;
  const below = element(svg, "g", {}), [width, height] = given.size;
  const ends = [edges.bottom + PADDING.bottom + PADDING.top, height - PADDING.bottom];
  const reach = values => {
    const least = Math.min(...values), most = Math.max(...values), room = MARGIN * (most - least) || 1;
    return [least - room, most + room];
  };

  function drawCoordinates({coordinates, labels}, names) {
    below.replaceChildren();
    const box = [0, 1].flatMap(axis => reach(coordinates.map(row => row[axis])));
    const axes = frame(below, width, ends, {box, ticks: [[], []], labels: names});
    coordinates.forEach(([x, y], i) => element(axes.area, "path", {
      d: MARKS[labels[i]], fill: COLOURS[labels[i]], transform: `translate(${axes.across(x)} ${axes.up(y)})`,
    }));
  }

  const show = choice => {
    const here = places(), {method, gamma, groups} = {...given, ...choice};
    const found = findClusters(here, method, gamma, groups), {W, labels} = found;
    drawing.clear();
    here.forEach((u, i) => here.slice(0, i).forEach((v, j) => {
      const style = {stroke: GREY, "stroke-width": (WIDEST * W[i][j]).toFixed(2)};
      if (W[i][j] > LEAST_WEIGHT) drawing.path([u, v].map(([x, y]) => [across(x), up(y)]), style);
    }));
    here.forEach((at, i) => drawing.dial(at, 1, COLOURS[labels[i]]));
    drawCoordinates(found, given.axes[method]);
    const place = Object.keys(given.axes).indexOf(method);
    return {words: clustersInWords(found), numbers: {points: here.length, groups, method: place, cut: found.cut}};
  };
  return {show, drawing};
}
