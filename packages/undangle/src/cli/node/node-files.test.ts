import { Buffer } from "node:buffer";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeFiles } from "./node-files.ts";

let folder = "";
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function replace(name: string, text: string, keepBackup = true): Promise<string | undefined> {
  const file = await nodeFiles.replace(at(name), { keepBackup });
  await file.write(Buffer.from(text));
  return (await file.commit()).backup;
}

describe("a file takes its place all at once", () => {
  test("with a backup under the first free name", async () => {
    writeFileSync(at("a.json"), "one");
    expect(await replace("a.json", "two")).toBe(at("a.json.bak"));
    expect(await replace("a.json", "three")).toBe(at("a.json.bak1"));
    expect(await replace("a.json", "four")).toBe(at("a.json.bak2"));
    expect(
      ["a.json", "a.json.bak", "a.json.bak1", "a.json.bak2"].map((name) => readFileSync(at(name), "utf8")),
    ).toEqual(["four", "one", "two", "three"]);
    expect(readdirSync(folder)).toHaveLength(4);
  });

  test("with the mode of the old one", async () => {
    writeFileSync(at("a.json"), "one");
    chmodSync(at("a.json"), 0o640);
    await replace("a.json", "two");
    expect(statSync(at("a.json")).mode & 0o777).toBe(0o640);
  });

  test("behind a link, which stays one", async () => {
    writeFileSync(at("a.json"), "one");
    symlinkSync(at("a.json"), at("link.json"));
    await replace("link.json", "two");
    expect(readFileSync(at("a.json"), "utf8")).toBe("two");
    expect(readdirSync(folder).toSorted()).toEqual(["a.json", "a.json.bak", "link.json"]);
  });

  test("also where there was none, without a backup", async () => {
    expect(await replace("new.json", "one")).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["new.json"]);
  });

  test("or not at all", async () => {
    writeFileSync(at("a.json"), "one");
    const file = await nodeFiles.replace(at("a.json"), { keepBackup: true });
    await file.write(Buffer.from("half"));
    expect(readdirSync(folder)).toHaveLength(2);
    await file.discard();
    expect(readdirSync(folder)).toEqual(["a.json"]);
    expect(readFileSync(at("a.json"), "utf8")).toBe("one");
  });

  test("not when another program wrote to it meanwhile", async () => {
    writeFileSync(at("a.json"), "one");
    const file = await nodeFiles.replace(at("a.json"), { keepBackup: true });
    await file.write(Buffer.from("two"));
    appendFileSync(at("a.json"), " and more");
    await expect(file.commit()).rejects.toMatchObject({ code: "ECHANGED" });
    await file.discard();
    expect(readdirSync(folder)).toEqual(["a.json"]);
    expect(readFileSync(at("a.json"), "utf8")).toBe("one and more");
  });

  test("but a device is written to as it is", async () => {
    const device = await nodeFiles.replace("/dev/null", { keepBackup: true });
    await device.write(Buffer.from("x"));
    expect(await device.commit()).toEqual({ backup: undefined });
    expect(statSync("/dev/null").isFile()).toBe(false);
  });
});

test("nothing is written where there is nothing to write", async () => {
  writeFileSync(at("a.json"), "one");
  const file = await nodeFiles.replace(at("a.json"), { keepBackup: true });
  await file.discard();
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("two names of one file are the same file", async () => {
  writeFileSync(at("a.json"), "one");
  symlinkSync(at("a.json"), at("link.json"));
  writeFileSync(at("b.json"), "one");
  expect(await nodeFiles.isSame(at("a.json"), at("link.json"))).toBe(true);
  expect(await nodeFiles.isSame(at("a.json"), at("b.json"))).toBe(false);
  expect(await nodeFiles.isSame(at("a.json"), at("none.json"))).toBe(false);
  expect(existsSync(at("none.json"))).toBe(false);
});
