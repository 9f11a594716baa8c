import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/** A project outside of the repository that has installed the packed package, as a user's has. */
export interface EmptyProject {
  readonly folder: string;
  /** The bytes that would be published. */
  readonly tarball: Buffer;
  readonly write: (name: string, text: string) => Promise<void>;
  readonly read: (name: string) => Promise<string>;
  /** Runs a program on this Node in the project; rejects with its output where it fails. */
  readonly node: (...args: readonly string[]) => Promise<string>;
  /** What the install brought: how many packages, how many bytes. */
  readonly measure: () => Promise<{ readonly packages: number; readonly bytes: number }>;
  readonly remove: () => Promise<void>;
}

/** Packs `packages/undangle` and installs it into a new empty project. */
export async function packIntoEmptyProject(): Promise<EmptyProject> {
  const folder = await mkdtemp(join(tmpdir(), "undangle-packaging-"));
  await npm(join(root, "packages/undangle"), "pack", "--silent", "--pack-destination", folder);
  const archive = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error("npm pack left no archive");

  const project = join(folder, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await npm(project, "install", "--silent", "--no-audit", "--no-fund", "--prefer-offline", join(folder, archive));

  return {
    folder: project,
    tarball: await readFile(join(folder, archive)),
    write: async (name, text) => await writeFile(join(project, name), text),
    read: async (name) => await readFile(join(project, name), "utf8"),
    node: async (...args) => await execute(process.execPath, args, project),
    measure: async () => await measureInstall(join(project, "node_modules")),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const script = process.env["npm_execpath"];
  return script === undefined
    ? await execute("npm", args, cwd)
    : await execute(process.execPath, [script, ...args], cwd);
}

async function execute(command: string, args: readonly string[], cwd: string): Promise<string> {
  // An npm that runs this test tells its children to work in the repository; these must not.
  const { npm_config_local_prefix: _prefix, npm_config_workspace: _workspace, ...env } = process.env;
  try {
    return (await run(command, [...args], { cwd, env })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

async function measureInstall(modules: string): Promise<{ readonly packages: number; readonly bytes: number }> {
  // npm's own record of what it put there.
  const record = JSON.parse(await readFile(join(modules, ".package-lock.json"), "utf8")) as {
    readonly packages: object;
  };
  const entries = await readdir(modules, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return { packages: Object.keys(record.packages).length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
