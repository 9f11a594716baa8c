import { fileURLToPath } from "node:url";

const inTests = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The arguments of Node for a program of this folder, which runs on the sources of the repository. */
export const sourceProgram = (name: string): readonly string[] => [
  "--conditions=undangle-source",
  "--import",
  inTests("from-sources.ts"),
  inTests(name),
];
