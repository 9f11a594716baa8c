import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { accessibilityFaults, noBrowser, openStudio, withoutFreeze } from "../browser.ts";

const sample = [
  "# A title",
  "Some **bold** text with `code`.",
  "- one\n- two",
  "1. first\n2. second",
  "| invoice | amount |\n|---|---|\n| 12 | 300 EUR |",
  `\`\`\`js\n${"const answer = 42; ".repeat(20)}\n\`\`\``,
  `| ${"column | ".repeat(30)}\n| ${"---|".repeat(30)}\n| ${"value | ".repeat(30)}`,
  "> A quote",
].join("\n\n");

async function shown(text: string, viewport = { width: 1000, height: 2000 }): Promise<Page> {
  const studio = await openStudio({ turns: [{ text }] });
  const { id } = await studio.client.threads.create({ title: "A text" });
  await studio.client.threads.send(id, "Write.");
  const page = await studio.open(`/t/${id}`, { viewport, permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator(".markdown").waitFor();
  return page;
}

describe.skipIf(noBrowser)("Markdown of a response", () => {
  test("looks like lists, tables, titles and code", async () => {
    const page = await shown(sample);
    const style = (selector: string, name: string): Promise<string> =>
      page
        .locator(`.markdown ${selector}`)
        .first()
        .evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);
    expect(await style("ul", "list-style-type")).toBe("disc");
    expect(await style("ol", "list-style-type")).toBe("decimal");
    expect(await style("td", "border-top-width")).toBe("1px");
    expect(Number.parseFloat(await style("h2", "font-size"))).toBeGreaterThan(18);
    expect(await style("pre", "overflow-x")).toBe("auto");
    expect(await style("pre", "background-color")).not.toBe("rgba(0, 0, 0, 0)");
    await page.getByRole("button", { name: "Copy this code" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("const answer = 42;");
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("is not wider than a phone", async () => {
    const page = await shown(sample, { width: 360, height: 740 });
    const list = page.getByRole("region", { name: "Conversation" });
    expect(await list.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });

  test("that nests thousands of levels is shown as it is", async () => {
    for (const text of [">".repeat(20_000), "1. ".repeat(9_000), `${"> ".repeat(3_000)}\n\nAfter it.`]) {
      const page = await shown(text);
      await page.getByRole("textbox", { name: "Message" }).waitFor();
      expect(await page.locator(".markdown").innerText()).toContain(text.slice(0, 200).trim());
    }
  });

  test("that is expensive to parse does not freeze the page", async () => {
    const texts = [
      "_a__ ".repeat(6_000),
      "*a** ".repeat(6_000),
      "[a](<b".repeat(5_000),
      `|${"a|".repeat(8_000)}\n|${"-|".repeat(8_000)}`,
    ];
    const studio = await openStudio({ turns: texts.map((text) => ({ text })) });
    const page = await studio.open("/");
    for (const text of texts) {
      const { id } = await studio.client.threads.create({ title: text.slice(0, 20) });
      await studio.client.threads.send(id, "Write.");
      const open = async (): Promise<void> => {
        await page.getByRole("link", { name: "Settings" }).click();
        await page.getByRole("button", { name: "New thread" }).waitFor();
        await page.evaluate((place) => history.pushState(null, "", place), `/t/${id}`);
        await page.locator(".markdown").waitFor();
      };
      await withoutFreeze(page, "Expensive Markdown", open);
      expect(await page.locator(".markdown").innerText()).not.toBe("");
    }
  }, 60_000);
});
