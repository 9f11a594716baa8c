import { image, tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio, withoutFreeze } from "../browser.ts";

const markup = [
  "<script>document.title='owned'</script>",
  "<img src=x onerror=\"document.title='owned'\">",
  "<svg onload=\"document.title='owned'\"><script>document.title='owned'</script></svg>",
  "<style>body{display:none}</style>",
  "[click](javascript:document.title='owned')",
  "[data](data:text/html,<script>document.title='owned'</script>)",
  "![picture](https://pictures.invalid/track.png)",
  "<iframe src=https://frames.invalid></iframe>",
].join("\n\n");

/** A picture whose script would run, and whose style would load, if it were part of the page. */
const svgPicture = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.document.title='owned'">
<style>@import url(https://pictures.invalid/style.css);</style><script>parent.document.title='owned'</script>
<image href="https://pictures.invalid/inner.png"/><rect width="9" height="9"/></svg>`;

const strange = "\u001B[31mred\u001B[0m \u202Egnp.exe \u200Bhidden";

describe.skipIf(noBrowser)("hostile content", () => {
  test("in messages, arguments, results and errors runs nothing and loads nothing", async () => {
    const show = tool({
      name: "show",
      description: "Shows.",
      input: { type: "object", properties: { html: { type: "string" } }, required: ["html"] } as const,
      execute: ({ html }) => `${html}\n${strange}`,
    });
    const fail = tool({
      name: "fail",
      description: "Fails.",
      execute: () => {
        throw new Error(`${markup} ${strange}`);
      },
    });
    const studio = await openStudio({
      agent: { tools: [show, fail] },
      turns: [
        { reasoning: markup, text: markup, calls: [{ name: "show", arguments: { html: markup } }, { name: "fail" }] },
        { text: `${strange}\n\n${markup}` },
      ],
    });
    const { id } = await studio.client.threads.create({ title: `${markup.slice(0, 60)} ${strange}` });
    await studio.client.threads.send(id, `${markup}\n${strange}`);
    const page = await studio.open("/", { viewport: { width: 1000, height: 6000 } });
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${studio.url}/t/${id}`);
    await page.getByRole("article", { name: "Call of fail: failed" }).waitFor();
    await page.locator(".markdown").nth(1).waitFor();
    await page.locator("main details").evaluateAll((all) => {
      for (const each of all) if (each instanceof HTMLDetailsElement) each.open = true;
    });
    await page.waitForTimeout(300);
    expect(requests.filter((url) => !url.startsWith(studio.url))).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator("main :is(script, iframe, style, img, svg[onload])").count()).toBe(0);
    const links = await page.locator("main a").evaluateAll((all) => all.map((each) => each.getAttribute("href") ?? ""));
    expect(links.filter((href) => /^(?:javascript|data):/iu.test(href))).toEqual([]);
    expect(await page.locator("main mark", { hasText: "U+202E" }).count()).toBeGreaterThan(0);
    expect(await page.locator("main mark", { hasText: "U+001B" }).count()).toBeGreaterThan(0);
    await page.goto(`${studio.url}/t/${id}/timeline`);
    await page.getByRole("heading", { level: 1 }).locator("mark", { hasText: "U+202E" }).waitFor();
  });

  test("in results of 10,000 keys and 5 MB, with ANSI, bidi, SVG and CSS, runs nothing, loads nothing and does not freeze", async () => {
    const attack = `${markup}\n<svg xmlns="http://www.w3.org/2000/svg"><image href="https://pictures.invalid/svg.png"/></svg>\n<div style="background:url(https://pictures.invalid/css.png)">@import url(https://pictures.invalid/i.css);</div>\n${strange}\n`;
    const picture = `data:image/svg+xml;base64,${Buffer.from(svgPicture).toString("base64")}`;
    const results: Readonly<Record<string, () => unknown>> = {
      keys: () => Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${strange} key${i}`, attack])),
      text: () => attack.repeat(Math.ceil(5_000_000 / attack.length)),
      ansi: () => "\u001B[31;1mred\u001B[0m\u001B]8;;https://links.invalid\u0007link\u001B]8;;\u0007 ".repeat(20_000),
      bidi: () => "\u202Egnp.exe\u2066x\u2069 ".repeat(50_000),
      picture: () => [image(picture), attack],
    };
    const tools = Object.entries(results).map(([name, execute]) => tool({ name, description: "Attacks.", execute }));
    const studio = await openStudio({
      agent: { tools },
      turns: [{ calls: tools.map(({ name }) => ({ name })) }, { text: "All is read." }],
    });
    const { id } = await studio.client.threads.create({ title: "Attacks" });
    await studio.client.threads.send(id, "Read.");
    const page = await studio.open("/", { viewport: { width: 1280, height: 4000 } });
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.getByRole("link", { name: "Attacks" }).first().waitFor();
    await withoutFreeze(page, "Hostile results", async () => {
      await page.getByRole("link", { name: "Attacks" }).first().click();
      for (const { name } of tools) {
        const card = page.getByRole("article", { name: `Call of ${name}: done` });
        await card.waitFor();
        await card.locator("summary").first().click();
        await card.getByText("Result", { exact: true }).waitFor();
        for (const more of await card.getByRole("button", { name: /^Show /u }).all()) await more.click();
      }
      for (const mark of ["U+202E", "U+2066", "U+001B", "U+200B"])
        await page.locator("main mark", { hasText: mark }).filter({ visible: true }).first().waitFor();
    });
    expect(requests.filter((url) => !url.startsWith(studio.url) && !url.startsWith("data:"))).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator("main :is(script, iframe, style, image, svg[onload])").count()).toBe(0);
    expect(await page.locator("main [style*='pictures.invalid'], main [href^='https://links.invalid']").count()).toBe(
      0,
    );
    await page.getByRole("textbox", { name: "Message" }).fill("It still responds.");
  });

  test("of 5 MB does not freeze the page", async () => {
    const line = "A long line of text with some *Markdown* and a `code`.\n\n";
    const long = line.repeat(Math.ceil(5_000_000 / line.length));
    const read = tool({ name: "read", description: "Reads.", execute: () => long });
    const studio = await openStudio({
      agent: { tools: [read] },
      turns: [{ calls: [{ name: "read" }] }, { text: long }],
    });
    const { id } = await studio.client.threads.create();
    await studio.client.threads.send(id, "Read.");
    const page = await studio.open(`/t/${id}`, { viewport: { width: 1000, height: 3000 } });
    await page.getByRole("article", { name: "Call of read: done" }).waitFor();
    expect(await page.locator("main").evaluate((main) => main.textContent.length)).toBeLessThan(20_000);
    await page.locator("summary", { hasText: "Details of the call of read" }).click();
    await page
      .getByText(/^5,000,\d{3} characters in total$/u)
      .first()
      .waitFor();
    await page
      .getByRole("button", { name: /Show [\d,]+ more characters/u })
      .first()
      .click();
    await page.getByRole("textbox", { name: "Message" }).fill("It still responds.");
  });
});
