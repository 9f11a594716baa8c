/** For `node --import`: the entries of `undangle` lead to its sources, as in the tests themselves. */
import { registerHooks } from "node:module";

const sources = new URL("../../undangle/src/", import.meta.url);
const others: Readonly<Record<string, string>> = {
  undangle: "index.ts",
  "undangle/agent": "middleware/public-names.ts",
  "undangle/files": "files/public-names.ts",
  "undangle/models": "model/index.ts",
  "undangle/store/memory": "store/memory.ts",
  "undangle/store/sqlite": "store/sqlite.ts",
};

registerHooks({
  resolve(specifier, context, next) {
    const entry = others[specifier] ?? /^undangle\/([\w-]+)$/u.exec(specifier)?.[1]?.concat("/index.ts");
    return next(entry === undefined ? specifier : new URL(entry, sources).href, context);
  },
});
