import { tool } from "undangle/agent";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { press } from "../bank.ts";
import { accessibilityFaults, noBrowser, openStudio } from "../browser.ts";

const text = { type: "string" } as const;

const schema = {
  type: "object",
  properties: {
    traveller: {
      type: "object",
      properties: { name: { type: "string", title: "Full name" }, age: { type: "integer" } },
      required: ["name"],
    },
    legs: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: { from: text, to: text, day: { type: "string", format: "date" } },
        required: ["from", "to"],
      },
    },
    sizes: { type: "array", items: { type: "integer" } },
    meals: { type: "array", items: { enum: ["fish", "salad"] } },
    pickUp: { type: "string", format: "date-time", title: "Pick-up" },
    nickname: { anyOf: [{ type: "string" }, { type: "null" }], title: "Nickname" },
    priority: { oneOf: [{ const: 1, title: "High" }, { const: 2, title: "Low" }, { type: "null" }], title: "Priority" },
    account: { type: "integer", title: "Account" },
    note: { type: "string", title: "Note" },
    stay: { type: "object", properties: { hotel: { type: "string", title: "Hotel" } }, required: ["hotel"] },
    extra: { type: "object", title: "Extra" },
  },
  required: ["traveller", "legs", "nickname"],
  additionalProperties: false,
} as const;

const proposed = {
  traveller: { name: "Ann", age: 30 },
  legs: [{ from: "OSL", to: "BGO", day: "2026-03-30" }],
  nickname: "An",
};

/** The form for a call of `book`, and the arguments with which the tool ran. */
async function openForm(
  given: Readonly<Record<string, unknown>> = proposed,
): Promise<{ readonly page: Page; readonly ran: readonly unknown[] }> {
  const ran: unknown[] = [];
  const book = tool({
    name: "book",
    description: "Books a trip.",
    input: schema,
    approval: true,
    execute: (args) => {
      ran.push(args);
      return "Booked.";
    },
  });
  const studio = await openStudio({
    agent: { tools: [book] },
    turns: [{ calls: [{ name: "book", arguments: given }] }, { text: "Done." }],
  });
  await studio.client.threads.create({ id: "trip" });
  await studio.client.threads.send("trip", "Book it.");
  const page = await studio.open("/", { viewport: { width: 1000, height: 2400 } });
  await page.getByRole("button", { name: "Open book (call_1)" }).click();
  await page.getByRole("button", { name: "Edit and approve book (call_1) …" }).click();
  return { page, ran };
}

const submit = (page: Page) => page.getByRole("button", { name: "Approve with changes: book (call_1)" });

describe.skipIf(noBrowser)("the form of arguments", () => {
  test("edits objects, lists, choices and optional arguments as its schema describes them", async () => {
    const { page, ran } = await openForm();
    await page.getByLabel("Full name").fill("Ann Lee");
    await page.getByRole("button", { name: "Add to legs" }).click();
    await page.getByText("legs[1].from is required").waitFor();
    await page.getByLabel("from").nth(1).fill("BGO");
    await page.getByRole("group", { name: "legs 2" }).getByLabel("to").fill("TRD");
    await page.getByRole("group", { name: "legs 2" }).getByLabel("day").fill("2026-04-02");
    await page.getByRole("button", { name: "Remove item 1 of legs" }).click();
    expect(await page.getByRole("group", { name: "legs 1" }).getByLabel("from").inputValue()).toBe("BGO");
    await page.getByRole("button", { name: "Add to sizes" }).click();
    await page.getByText("sizes[0] must be a whole number").waitFor();
    await page.getByLabel("sizes 1").fill("7");
    await page.getByRole("button", { name: "Add to meals" }).click();
    await page.getByLabel("meals 1").selectOption("salad");
    await page.getByLabel("Pick-up").fill("tomorrow");
    await page.getByText("pickUp must be a time such as 2026-03-30T10:00:00Z").waitFor();
    await page.getByLabel("Pick-up").fill("2026-03-30T10:00:00+02:00");
    await page.getByLabel("Nickname").fill("");
    await page.getByLabel("Priority").selectOption("Low");
    await page.getByRole("button", { name: "Add stay" }).click();
    await page.getByLabel("Hotel").fill("Opus");
    await page.getByLabel("Extra (JSON)").fill('{ "seat": "12A" }');
    expect(await accessibilityFaults(page)).toEqual([]);
    await press(submit(page));
    await expect
      .poll(() => ran, { timeout: 10_000 })
      .toEqual([
        {
          traveller: { name: "Ann Lee", age: 30 },
          legs: [{ from: "BGO", to: "TRD", day: "2026-04-02" }],
          sizes: [7],
          meals: ["salad"],
          pickUp: "2026-03-30T10:00:00+02:00",
          nickname: null,
          priority: 2,
          stay: { hotel: "Opus" },
          extra: { seat: "12A" },
        },
      ]);
  });

  test("an input keeps the focus, whatever is typed: letters never become keys of the page", async () => {
    const { page, ran } = await openForm();
    const sentence =
      "Already rearranged: a rather long remark, j for Jane and x for Xavier, is exactly what nobody reads.";
    for (const label of ["Note", "Nickname", "Full name"]) {
      const input = page.getByLabel(label);
      await input.fill("");
      await input.pressSequentially(sentence);
      expect(await input.inputValue()).toBe(sentence);
    }
    const json = page.getByLabel("Extra (JSON)");
    await json.pressSequentially('{"a": {"r": [1]}}');
    expect(await json.inputValue()).toBe('{"a": {"r": [1]}}');
    await page.getByLabel("Note").press("Enter"); // one line
    expect(await page.getByLabel("Note").inputValue()).toBe(sentence);
    expect(ran).toEqual([]);
  });

  test("states that a number has too many digits, and uses none of it", async () => {
    const { page } = await openForm();
    await page.getByLabel("Account").fill("9007199254740993");
    await page.getByText("account 9007199254740993 has more digits than a number can hold").waitFor();
    expect(await submit(page).getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("Account").fill("9007199254740992");
    await page.getByRole("region", { name: "Proposed → edited" }).getByText('"account": 9007199254740992').waitFor();
  });
  test("a number with too many digits in the JSON is never rounded by a switch to the form", async () => {
    const { page, ran } = await openForm();
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    const json = page.getByLabel("Arguments of book");
    const typed = JSON.stringify({ ...proposed, account: 1 }).replace('"account":1', '"account":12345678901234567890');
    await json.fill(typed);
    const form = page.getByRole("button", { name: "Form", exact: true });
    expect(await form.isDisabled()).toBe(true);
    await page.getByText("Correct what cannot be read first.").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await json.inputValue()).toBe(typed);
    await json.fill(typed.replace("12345678901234567890", "7"));
    await form.click();
    expect(await page.getByLabel("Account").inputValue()).toBe("7");
    await press(submit(page));
    await expect.poll(() => ran).toEqual([{ ...proposed, account: 7 }]);
  });

  test("what cannot be read in the form stays there: it does not return to an earlier value in the JSON", async () => {
    const { page } = await openForm();
    const json = page.getByRole("button", { name: "JSON", exact: true });
    await page.getByLabel("Account").fill("12345678901234567890");
    expect(await json.isDisabled()).toBe(true);
    expect(await page.getByLabel("Account").inputValue()).toBe("12345678901234567890");
    await page.getByLabel("Account").fill("");
    await page.getByLabel("day").focus();
    await page.keyboard.press("Backspace"); // the month
    await page.getByText("legs[0].day").waitFor();
    expect(await json.isDisabled()).toBe(true);
    await page.getByLabel("day").fill("2026-04-02");
    await json.click();
    expect(await page.getByLabel("Arguments of book").inputValue()).toContain('"day": "2026-04-02"');
  });

  test("arguments that are too deep or too many for a form are edited as JSON", async () => {
    let deep: Readonly<Record<string, unknown>> = { end: 1 };
    for (let i = 0; i < 490; i++) deep = { a: deep };
    for (const extra of [
      deep,
      Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, Array(20).fill(i)])),
    ]) {
      const { page } = await openForm({ ...proposed, extra });
      await submit(page).waitFor();
      expect(await page.getByRole("button", { name: "Form", exact: true }).count()).toBe(0);
      await page.getByRole("button", { name: /^Cancel/u }).click(); // the page still reacts
      await submit(page).waitFor({ state: "detached" });
    }
  });

  test("a value of another type than its schema names is shown in the form too", async () => {
    const { page } = await openForm();
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    await page.getByLabel("Arguments of book").fill(JSON.stringify({ ...proposed, note: 5 }));
    await page.getByRole("button", { name: "Form", exact: true }).click();
    expect(await page.getByLabel("Note").inputValue()).toBe("5");
    await page.getByText("note must be a text").waitFor();
  });
});
