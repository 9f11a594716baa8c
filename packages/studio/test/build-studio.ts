import { fileURLToPath } from "node:url";

import { build } from "vite";

/** Before the tests of the page: builds it, as it is served. */
export async function setup(): Promise<void> {
  await build({ configFile: fileURLToPath(new URL("../vite.config.ts", import.meta.url)), logLevel: "warn" });
}
