// This file runs on every Node version with ES modules, and imports nothing, because any import may fail on an old
// version.

const [major, minor] = [22, 18]; // as in `engines` of package.json

/**
 * The message for a version of Node that the program does not run on; undefined for one that it does.
 * @param {string} version
 * @param {readonly string[]} argv
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function refuseOldNode(version, argv, env) {
  const [found = 0, part = 0] = version.split(".").map(Number);
  if (found > major || (found === major && part >= minor)) return undefined;
  return isChinese(argv, env)
    ? `undangle: 需要 Node ${major}.${minor} 或更高版本，当前是 v${version}。请从 https://nodejs.org 安装新版本。`
    : `undangle: Node ${major}.${minor} or later is required, and this is v${version}. Install a newer one from https://nodejs.org`;
}

/**
 * Chooses the language as the program does: by the option, or else by the locale.
 * @param {readonly string[]} argv
 * @param {Readonly<Record<string, string | undefined>>} env
 */
function isChinese(argv, env) {
  const asked = /--language[= ](en|zh)(?= |$)/u.exec(argv.join(" "))?.[1];
  const locale = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  return asked === undefined ? locale.toLowerCase().startsWith("zh") : asked === "zh";
}
