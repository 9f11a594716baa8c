// Puts the licence and the README of the repository into the package that npm is about to pack.
import { copyFileSync, existsSync } from "node:fs";
import { inRoot } from "./run.js";

for (const name of ["LICENSE", "README.md", "README.zh-CN.md"]) {
  if (existsSync(inRoot(name))) copyFileSync(inRoot(name), inRoot(`packages/undangle/${name}`));
}
