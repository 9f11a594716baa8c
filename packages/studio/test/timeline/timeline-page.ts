import type { Locator, Page } from "playwright-core";
import { tool } from "undangle/agent";
import type { Trace, TraceSpan } from "undangle/client";

export const pay = tool({
  name: "pay",
  description: "Pays an invoice.",
  input: { type: "object", properties: { invoice: { type: "integer" } } } as const,
  approval: true,
  execute: () => "Paid.",
});

/** The row of a span. */
export const row = (page: Page, { id }: Pick<TraceSpan, "id">): Locator => page.locator(`[data-span="${id}"]`);

/** Shows a trace of a file. */
export async function openTrace(page: Page, trace: Trace): Promise<void> {
  const buffer = Buffer.from(JSON.stringify(trace));
  await page.locator("input[type=file]").setInputFiles({ name: "trace.json", mimeType: "application/json", buffer });
  await page.getByText("This is the trace of the file trace.json").waitFor();
}
