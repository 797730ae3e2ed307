// Two classes of points in the plane, and what a function says of them.

const CIRCLE = {word: "circle", mark: {tag: "circle", attributes: {r: 6, fill: POSITIVE}}};
const SIDE = {x: -5.5, y: -5.5, width: 11, height: 11};
const SQUARE = {word: "square", mark: {tag: "rect", attributes: {...SIDE, fill: NEGATIVE}}};
const CLASSES = [CIRCLE, SQUARE];

// If f differs by no more between the points, w = 0, as where one class lies inside the other.
const CONSTANT_TOLERANCE = 1e-6;

/** The labels of the points of a plane, 1 for circles and −1 for squares. */
function signsIn({handles}) {
  return handles.map(({kind}) => kind ? -1 : 1);
}

/** Whether f has no line f = 0, by its values at the points without b. */
function isConstant(values) {
  return Math.max(...values) - Math.min(...values) <= CONSTANT_TOLERANCE;
}

/** The sides of f = 0, and the lines f = −1, 0 and 1, unless f is constant. */
function drawSides(levels, {f, b, constant}) {
  const values = levels.sample(f);
  if (!constant || Math.abs(b) > CONSTANT_TOLERANCE) levels.sides(values);
  if (constant) return;
  levels.level(values, 0, FIT);
  for (const margin of [-1, 1]) levels.level(values, margin, GUIDE);
}
