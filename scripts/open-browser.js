// Opens an address in the browser of the person at this machine, if there is one.
import { spawn } from "node:child_process";
import process from "node:process";

/** The command that opens an address; undefined where no person sees a browser: a server, a container, a remote shell. */
export function browserCommand(
  /** @type {Readonly<Record<string, string | undefined>>} */ env = process.env,
  /** @type {string} */ platform = process.platform,
) {
  const own = env["BROWSER"];
  if (own === "none" || env["CI"] !== undefined) return undefined;
  if (own !== undefined && own !== "") return [own];
  if (env["SSH_CONNECTION"] !== undefined) return undefined;
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["cmd", "/c", "start", ""];
  const hasDisplay = env["DISPLAY"] !== undefined || env["WAYLAND_DISPLAY"] !== undefined;
  return hasDisplay ? ["xdg-open"] : undefined;
}

/** Opens an address. False if there is no browser; a browser that fails to start is ignored, since the address is shown. */
export function openInBrowser(/** @type {string} */ url) {
  const [command, ...args] = browserCommand() ?? [];
  if (command === undefined) return false;
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true, windowsHide: true });
  child.once("error", () => undefined);
  child.unref();
  return true;
}
