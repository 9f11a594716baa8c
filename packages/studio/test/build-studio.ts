import { fileURLToPath } from "node:url";

import { build } from "vite";

const configFile = fileURLToPath(new URL("../vite.config.ts", import.meta.url));

/** Before the tests of the page: builds it, as it is served, and the doctor alone. */
export async function setup(): Promise<void> {
  const { NODE_ENV: before = "test" } = process.env;
  process.env["NODE_ENV"] = "production"; // vitest sets another value, with which React is larger and slower
  await build({ configFile, logLevel: "warn" });
  await build({ configFile, mode: "doctor", logLevel: "warn" });
  process.env["NODE_ENV"] = before;
}
