// Prepares a package for npm: builds it, and copies the files of the repository that belong to it. `explain` refers to
// the page of rules.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { inRoot } from "./run.js";
import "./setup.js";

const files = {
  undangle: ["LICENSE", "README.md", "README.zh-CN.md", "docs/reference/rules.md"],
  server: ["LICENSE"],
};
const name = process.argv[2] === "server" ? "server" : "undangle";

for (const file of files[name]) {
  const target = inRoot(`packages/${name}/${file}`);
  mkdirSync(dirname(target), { recursive: true });
  if (existsSync(inRoot(file))) copyFileSync(inRoot(file), target);
}
