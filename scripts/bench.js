// `npm run bench -- NAME …` runs bench/NAME.ts. The benchmarks have separate dependencies, installed on the first run.
import { existsSync, readdirSync } from "node:fs";
import { installIfNeeded } from "./install.js";
import { inRoot, node } from "./run.js";

const [name, ...args] = process.argv.slice(2);
const files = existsSync(inRoot("bench")) ? readdirSync(inRoot("bench")) : [];
const names = files.flatMap((file) =>
  /\.(test|config)\.ts$/u.test(file) ? [] : (/^(.+)\.ts$/u.exec(file)?.[1] ?? []),
);

if (name === undefined || !names.includes(name)) {
  console.error(`Which benchmark? npm run bench -- NAME, where NAME is one of: ${names.join(", ") || "(none yet)"}`);
  process.exit(2);
}

if (files.includes("package.json")) {
  installIfNeeded({
    folder: "bench",
    manifests: ["package.json", "package-lock.json", ".npmrc"],
    announcement: "Installing what the benchmarks compare with …",
  });
}

process.exitCode = node(["--expose-gc", inRoot(`bench/${name}.ts`), ...args]);
