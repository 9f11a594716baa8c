import { posix } from "node:path";
import type { FileRule } from "./source-files.ts";

const longest = 500;

/** Files are split by idea, not by kind; these names say only the kind. */
const namesOfKinds = ["types", "constants", "utils", "util", "helpers", "helper"];

/** No file has more than 500 lines, but for the tables in `catalogue` folders and for fixtures. */
export const smallFiles: FileRule = ({ path, text }) => {
  if (/(^|\/)catalogue[^/]*\//u.test(path) || /\.fixture\.ts$|(^|\/)fixtures\//u.test(path)) return [];
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return lines > longest ? [`${path}: ${lines} lines, more than ${longest}`] : [];
};

/** A file is named after its idea, in kebab-case. */
export const namedAfterIdeas: FileRule = ({ path }) => {
  const [name = ""] = posix.basename(path).split(".");
  if (namesOfKinds.includes(name)) return [`${path}: "${name}" names a kind, not an idea`];
  return /^[a-z0-9]+(-[a-z0-9]+)*$/u.test(name) ? [] : [`${path}: not in kebab-case`];
};

/** A path of a file comes from `fileURLToPath`: the `pathname` of a URL has `%20` where the path has a space. */
export const noUrlPathnames: FileRule = ({ path, text }) =>
  [...text.matchAll(/import\.meta\.url\)\.pathname|\bcwd: [\w.]+\.pathname/gu)].map(
    ([found]) => `${path}: ${found} is not the path of a file`,
  );

/** Only a package's root and a layer's root have an `index.ts`: a folder deeper down has no face of its own. */
export const facesOnlyAtLayerRoots: FileRule = ({ path }) => {
  const isFace = posix.basename(path) === "index.ts" && path.startsWith("packages/");
  return isFace && !/^packages\/[^/]+\/src\/([^/]+\/)?index\.ts$/u.test(path)
    ? [`${path}: not the root of a layer`]
    : [];
};
