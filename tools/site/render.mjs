// Formulas in, MathML out: reads a line of JSON, [formula, whether it is displayed], and answers with a line of JSON,
// [MathML, what is wrong]. The first argument is the folder node_modules.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const temml = createRequire(process.argv[2] + "/")("temml");

for await (const line of createInterface({ input: process.stdin })) {
  const [formula, displayMode] = JSON.parse(line);
  let answer;
  try {
    answer = [temml.renderToString(formula, { displayMode, throwOnError: true }), null];
  } catch (error) {
    answer = [null, error.message];
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
