import { fileURLToPath } from "node:url";

import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * The page is built from the sources of `undangle`, into the server that serves it. With `--mode doctor`, the doctor
 * alone is built, with relative addresses, so that any folder of any static host can serve it.
 */
export default defineConfig(({ mode }) => {
  const isDoctor = mode === "doctor";
  return {
    root: inRoot(isDoctor ? "packages/studio/doctor" : "packages/studio"),
    base: isDoctor ? "./" : "/",
    plugins: [react(), tailwind()],
    resolve: {
      conditions: ["undangle-source", "module", "browser", "production"],
      alias: [
        { find: /^undangle$/u, replacement: inRoot("packages/undangle/src/index.ts") },
        { find: /^undangle\/(client|report)$/u, replacement: inRoot("packages/undangle/src/$1/index.ts") },
      ],
    },
    worker: { format: "es" },
    build: {
      outDir: inRoot(isDoctor ? "packages/studio/dist/doctor" : "packages/server/dist/studio"),
      emptyOutDir: true,
      target: "es2023",
      assetsInlineLimit: 0, // a strict policy permits no inline scripts
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000, // the rules; a test limits what is loaded
    },
    server: { proxy: { "^/(?!@|src/|node_modules/|t/|doctor|settings|assets/|$)": "http://127.0.0.1:4111" } },
  };
});
