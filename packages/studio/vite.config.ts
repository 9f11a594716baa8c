import { fileURLToPath } from "node:url";

import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The page is built from the sources of `undangle`, into the server that serves it. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwind()],
  resolve: {
    conditions: ["undangle-source", "module", "browser", "production"],
    alias: [
      { find: /^undangle$/u, replacement: inRoot("packages/undangle/src/index.ts") },
      { find: /^undangle\/client$/u, replacement: inRoot("packages/undangle/src/client/index.ts") },
    ],
  },
  build: {
    outDir: inRoot("packages/server/dist/studio"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0, // a strict policy permits no inline scripts
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { "^/(?!@|src/|node_modules/|t/|doctor|settings|assets/|$)": "http://127.0.0.1:4111" } },
});
