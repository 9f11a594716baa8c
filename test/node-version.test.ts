/** The program on a version of Node that is too old for it: one message, whatever was asked for, and nothing else loaded. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { refuseOldNode } from "../packages/undangle/bin/node-version.js";

const programs = ["../packages/undangle/bin/undangle.js", "../bin/undangle.js"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Runs a program that takes this Node for version 20, and that would fail if it loaded anything built. */
function onNode20(program: string, args: readonly string[], locale = "C.UTF-8") {
  const disguise = `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });
    delete Promise.withResolvers;
    delete Map.groupBy;`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(disguise)}`, program, ...args],
    { env: { ...process.env, LANG: locale, LC_ALL: "" }, encoding: "utf8", input: "[]" },
  );
  return { status, stdout, stderr };
}

const commands = [
  ["check", "a.json"],
  ["repair", "a.json"],
  ["convert", "a.json", "--to", "anthropic"],
  ["assemble", "a.txt"],
  ["explain", "400"],
  ["doctor", "a.json"],
  ["chat", "hi"],
  ["threads", "list"],
  ["serve"],
  ["keys", "list"],
  ["--help"],
  ["--version"],
  [],
];

describe.each(programs)("%s on Node 20", (program) => {
  test.each(commands)("says which version this is, and which it needs: %s", (...args) => {
    expect(onNode20(program, args)).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "undangle: Node 22.18 or later is required, and this is v20.20.2. Install a newer one from https://nodejs.org\n",
    });
  });

  test("says it in Chinese to those who read it", () => {
    const chinese = "undangle: 需要 Node 22.18 或更高版本，当前是 v20.20.2。请从 https://nodejs.org 安装新版本。\n";
    expect(onNode20(program, ["doctor", "a.json"], "zh_CN.UTF-8").stderr).toBe(chinese);
    expect(onNode20(program, ["doctor", "a.json", "--language", "zh"]).stderr).toBe(chinese);
    expect(onNode20(program, ["doctor", "--language=en", "a.json"], "zh_CN.UTF-8").stderr).toContain("is required");
  });
});

test("versions are told apart by number", () => {
  const isRefused = (version: string) => refuseOldNode(version, [], {}) !== undefined;
  expect(
    ["18.20.0", "20.20.2", "21.7.3", "22.0.0", "22.17.1", "22.9.0"].filter((version) => !isRefused(version)),
  ).toEqual([]);
  expect(["22.18.0", "22.100.0", "23.0.0", "24.11.1", "100.0.0"].filter(isRefused)).toEqual([]);
});

test("the version is that of the package", () => {
  const manifest = readFileSync(new URL("../packages/undangle/package.json", import.meta.url), "utf8");
  const { engines } = JSON.parse(manifest) as { engines: { node: string } }; // our own manifest
  expect(refuseOldNode("20.0.0", [], {})).toContain(`Node ${engines.node.replace(">=", "")} or later`);
});
