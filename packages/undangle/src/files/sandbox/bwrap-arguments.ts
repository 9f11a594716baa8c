import { existsSync, lstatSync, readlinkSync } from "node:fs";
import type { SandboxSettings } from "./sandbox-options.ts";
import { syscallFilter } from "./syscall-filter.ts";

/** What bwrap reads from its file descriptors. */
export interface SandboxLayout {
  /** Arguments of bwrap that contain paths of the host and variables, which `ps` would show on the command line. */
  readonly arguments: readonly string[];
  /** The contents of files in the sandbox and the filter of system calls, each from a descriptor of its own, from `firstFile` on. */
  readonly files: readonly (string | Uint8Array)[];
}

/** The descriptors that processes of the sandbox use, besides standard input, output and error. One digit: shells need it. */
export const descriptors = { status: 3, arguments: 4, lifeline: 5, firstFile: 6 } as const;

/**
 * What isolates a command. It is on the command line, so that no bwrap can start without it.
 * `--disable-userns` needs bubblewrap 0.8 and an explicit `--unshare-user`.
 */
export function isolation(network: boolean): readonly string[] {
  return [
    ["--unshare-user", "--unshare-all", "--disable-userns"],
    network ? ["--share-net"] : [],
    ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"],
    ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"],
  ].flat();
}

/** The file system and the environment of the sandbox, with the folder `root` at `/workspace`. */
export function layOut(root: string, settings: SandboxSettings): SandboxLayout {
  const tmpSize = `${settings.limits.tmpSize}`;
  const files = ownFiles(settings.network);
  const filter = syscallFilter();
  const environment = { ...defaultEnvironment, ...settings.env };
  return {
    arguments: [
      systemFolders(),
      etcFolders.flatMap((path) => ["--perms", "0755", "--dir", path]),
      files.flatMap(([path], i) => ["--perms", "0644", "--ro-bind-data", `${descriptors.firstFile + i}`, path]),
      [...etcPaths, ...(settings.network ? networkPaths : [])].filter((path) => existsSync(path)).flatMap(readOnly),
      ["--proc", "/proc", "--dev", "/dev", "--size", tmpSize, "--tmpfs", "/dev/shm"],
      ["--perms", "1777", "--size", tmpSize, "--tmpfs", "/tmp"],
      settings.readOnlyPaths.flatMap(readOnly),
      ["--bind", root, "/workspace", "--chdir", "/workspace"],
      // Both are file systems in memory: without this, a command could fill them.
      ["--remount-ro", "/dev", "--remount-ro", "/"],
      filter === undefined ? [] : ["--seccomp", `${descriptors.firstFile + files.length}`],
      Object.entries(environment).flatMap(([name, text]) => ["--setenv", name, text]),
    ].flat(),
    files: [...files.map(([, text]) => text), ...(filter === undefined ? [] : [filter])],
  };
}

const defaultEnvironment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/tmp",
  LANG: "C.UTF-8",
};

const etcFolders = ["/etc", "/etc/ssl"];

/** What programs need from `/etc`. Nothing in it is secret or names users and machines of the host. */
const etcPaths = [
  ["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "nsswitch.conf", "os-release", "localtime"],
  ["ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "pki/tls/certs", "pki/tls/cert.pem", "pki/ca-trust/extracted"],
  ["ca-certificates", "crypto-policies", "fonts", "terminfo", "mime.types", "protocols", "services"],
]
  .flat()
  .map((name) => `/etc/${name}`);

const networkPaths = ["/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf"];

/** Files that would show users and machines of the host. */
function ownFiles(network: boolean): readonly (readonly [path: string, text: string])[] {
  const nobody = "nobody:x:65534:";
  return [
    ["/etc/passwd", `sandbox:x:1000:1000::/tmp:/bin/sh\n${nobody}65534::/nonexistent:/bin/false\n`],
    ["/etc/group", `sandbox:x:1000:\n${nobody}\n`],
    ...(network ? [] : [["/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"] as const]),
  ];
}

/** `/usr`, and what is a link into it on most systems. */
function systemFolders(): readonly string[] {
  const others = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].filter((path) => existsSync(path));
  return ["/usr", ...others].flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : readOnly(path),
  );
}

function readOnly(path: string): readonly string[] {
  return ["--ro-bind", path, path];
}
