import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { expect, test } from "vitest";

import { answering } from "../clients/passed-through.ts";

test.each(["repair", "warn"] as const)(
  "a reader that leaves in the middle is not told of as damage (%s)",
  async (mode) => {
    const told: WireRepair[] = [];
    const chunk = { id: "x", choices: [{ index: 0, delta: { role: "assistant", content: "x" }, finish_reason: null }] };
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`));
      },
    });
    const fetch = wrapFetch({
      mode,
      logger: false,
      onRepair: (repair) => void told.push(repair),
      fetch: answering(body),
    });
    const request = { model: "m", stream: true, messages: [{ role: "user", content: "Hi." }] };
    const response = await fetch("https://host.example/v1/chat/completions", {
      method: "POST",
      body: JSON.stringify(request),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    const pending = reader?.read();
    await reader?.cancel();
    await pending;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    expect(told).toEqual([]);
  },
);
