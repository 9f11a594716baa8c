// Writes the pictures of the documents: docs/assets/approvals.svg from a real run of the terminal chat, which needs tmux,
// and those of the studio from its tests, which need Chromium.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inRoot, node } from "./run.js";

const columns = 92;
const message = "Read my mail, pay invoice 12 (300 euros) and delete all mail.";
const colours = new Map([
  ["31", "#ff7b72"],
  ["32", "#7ee787"],
  ["33", "#e3b341"],
  ["36", "#79c0ff"],
]);

const folder = mkdtempSync(join(tmpdir(), "undangle-screenshot-"));
const socket = join(folder, "tmux");
const tmux = (/** @type {string[]} */ ...args) => {
  const { status, stdout, stderr } = spawnSync("tmux", ["-S", socket, ...args], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
  return stdout;
};

/** The screen, once it contains a text. */
async function screenWith(/** @type {string} */ text) {
  for (let i = 0; i < 200; i++) {
    if (tmux("capture-pane", "-p").includes(text)) return tmux("capture-pane", "-p", "-e");
    await pause(100);
  }
  throw new Error(`The screen never showed ${text}:\n${tmux("capture-pane", "-p")}`);
}

const escape = (/** @type {string} */ text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Converts the lines of a screen, with colours, to the rows of a picture. */
function picture(/** @type {readonly string[]} */ lines) {
  const style = { fill: "", weight: "", opacity: "" };
  const rows = lines.map((line, row) => {
    const spans = line.split("\u001b[").map((part, i) => {
      const [, codes = "", text = ""] = i === 0 ? [0, "", part] : (/^([\d;]*)m([^]*)$/u.exec(part) ?? []);
      for (const code of codes.split(";")) {
        if (code === "0") Object.assign(style, { fill: "", weight: "", opacity: "" });
        if (code === "1") style.weight = ' font-weight="bold"';
        if (code === "2") style.opacity = ' opacity="0.6"';
        if (code === "39") style.fill = "";
        if (colours.has(code)) style.fill = ` fill="${colours.get(code)}"`;
      }
      return text === "" ? "" : `<tspan${style.fill}${style.weight}${style.opacity}>${escape(text)}</tspan>`;
    });
    return `  <text x="20" y="${40 + row * 19}" xml:space="preserve">${spans.join("")}</text>`;
  });
  const size = `width="${columns * 8.5 + 40}" height="${lines.length * 19 + 50}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">
  <rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${rows.join("\n")}
</svg>
`;
}

try {
  const chat = `${process.execPath} ${inRoot("bin/undangle.js")} chat --store memory --language en`;
  tmux("new-session", "-d", "-x", String(columns), "-y", "40", chat);
  await screenWith("Try:");
  tmux("send-keys", message, "Enter");
  await screenWith("later");
  const screen = (await screenWith("✓")).trimEnd().split("\n");
  const start = screen.findIndex((line) => line.includes("Read my mail") && line.includes("›"));
  writeFileSync(inRoot("docs/assets/approvals.svg"), picture(screen.slice(Math.max(start, 0))));
  console.log("docs/assets/approvals.svg");
} finally {
  spawnSync("tmux", ["-S", socket, "kill-server"]);
  rmSync(folder, { recursive: true, force: true });
}

process.exitCode = node(
  [inRoot("node_modules/vitest/vitest.mjs"), "run", "--project", "browser", "test/screenshots.test.ts"],
  { UNDANGLE_SCREENSHOTS: "docs" },
);
