// Puts the licence, the README and the page of rules, which `explain` refers to, into the package that npm is about to pack.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { inRoot } from "./run.js";

for (const name of ["LICENSE", "README.md", "README.zh-CN.md", "docs/reference/rules.md"]) {
  const target = inRoot(`packages/undangle/${name}`);
  mkdirSync(dirname(target), { recursive: true });
  if (existsSync(inRoot(name))) copyFileSync(inRoot(name), target);
}
