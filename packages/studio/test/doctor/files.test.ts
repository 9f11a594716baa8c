import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { samples } from "../../src/doctor/samples.ts";
import { doctorNoticeTexts } from "../../src/texts/doctor-notice-texts.ts";
import { doctorTexts } from "../../src/texts/doctor-texts.ts";
import { noBrowser } from "../browser.ts";
import { goOffline, openDoctor, verdictOf } from "./doctor-page.ts";

const texts = doctorTexts.en;
const notices = doctorNoticeTexts.en;
const { text } = samples.cancelled;

const open = async (page: Page, name: string, buffer: Buffer): Promise<void> => {
  await page.locator("input[type=file]").setInputFiles({ name, mimeType: "", buffer });
  await page.locator("#verdict").waitFor();
};

async function saved(page: Page): Promise<{ readonly name: string; readonly text: string }> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: texts.download.repaired }).click(),
  ]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

const utf16 = (given: string): Buffer => Buffer.from(given, "utf16le");

describe.skipIf(noBrowser)("a file", () => {
  test.each([
    ["UTF-8 with a mark", "a.json", Buffer.from(`\uFEFF${text}`)],
    ["UTF-16", "a.json", utf16(`\uFEFF${text}`)],
    ["UTF-16 in the other order", "a.json", utf16(`\uFEFF${text}`).swap16()],
    ["UTF-16 without a mark", "a.json", utf16(text)],
    ["compressed", "a.json.gz", gzipSync(text)],
  ])("that is %s is read, and saved under its name", async (_, name, buffer) => {
    const page = await openDoctor("", { acceptDownloads: true });
    const requests = await goOffline(page);
    await open(page, name, buffer);
    expect(await verdictOf(page)).toBe(texts.verdict(1));
    const output = await saved(page);
    expect(output.name).toBe("a.repaired.json");
    expect(output.text).toContain('    {\n      "role": "user",');
    expect(requests).toEqual([]);
  });

  test.each([
    ["empty", Buffer.alloc(0), notices.blank],
    ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]), notices.binary],
    ["bytes", Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919) % 256)), notices.binary],
    ["a database", Buffer.from("SQLite format 3\0"), notices.database],
    ["an archive", Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x00]), notices.archive],
    ["compressed and cut off", gzipSync(text).subarray(0, 60), notices.archive],
    ["in another encoding", Buffer.from('{"messages": ["Zürich"]}', "latin1"), notices.encoding],
  ])("that is %s is named as that", async (_, buffer, { title }) => {
    const page = await openDoctor();
    await open(page, "a", buffer);
    expect(await verdictOf(page)).toBe(title(""));
  });

  test("keeps its layout, its numbers and one message per line", async () => {
    const page = await openDoctor("", { acceptDownloads: true });
    const call =
      '{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}';
    const result = '{"role":"tool","tool_call_id":"a"';
    await open(page, "a.json", Buffer.from(`{"seed": 12345678901234567890, "top_p": 1.0, "messages": [${call}]}\n`));
    const body = await saved(page);
    expect(body.text).toContain(`{"seed": 12345678901234567890, "top_p": 1.0, "messages": [${call}, {`);
    expect(body.text).toContain(result);
    await page.getByRole("button", { name: texts.clear }).click();
    await open(page, "chat.jsonl", Buffer.from(`{"role": "user", "content": "x"}\r\n${call}\r\n`));
    const lines = await saved(page);
    expect(lines.name).toBe("chat.repaired.jsonl");
    expect(lines.text.split("\n")).toEqual([
      '{"role": "user", "content": "x"}',
      call,
      expect.stringContaining(result),
      "",
    ]);
    await page.getByRole("button", { name: texts.clear }).click();
    await open(
      page,
      "a.har",
      Buffer.from(JSON.stringify({ entries: [{ body: { messages: [JSON.parse(call)] } }] }, null, 4)),
    );
    expect((await saved(page)).text).toMatch(/^\{\n {4}"messages": \[\n {8}\{\n {12}"role"/u);
  });
});
