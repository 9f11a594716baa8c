import { fileURLToPath } from "node:url";

import { build } from "vite";

/** Before the tests of the page: builds it, as it is served. Vitest sets another mode, which would build the slow React. */
export async function setup(): Promise<void> {
  const { NODE_ENV: before } = process.env;
  process.env["NODE_ENV"] = "production";
  await build({ configFile: fileURLToPath(new URL("../vite.config.ts", import.meta.url)), logLevel: "warn" });
  if (before === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = before;
}
