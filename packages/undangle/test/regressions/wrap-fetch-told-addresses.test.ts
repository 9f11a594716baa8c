import { wrapFetch } from "undangle";
import { expect, test } from "vitest";

/** Users and passwords in an address were told with it. */
const body = JSON.stringify({
  model: "m",
  messages: [
    { role: "user", content: "Weather?" },
    { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }] },
    { role: "user", content: "Never mind." },
  ],
});
const answer = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}\n\n`; // which is cut off

test.each([
  ["https://me:secret@host.example/v1/chat/completions", "https://host.example/v1/chat/completions"],
  ["https://secret@host.example/v1/chat/completions?key=secret", "https://host.example/v1/chat/completions"],
  ["https://me:sec@ret@host.example:8080/v1/chat/completions#secret", "https://host.example:8080/v1/chat/completions"],
  ["HTTPS:/me:secret@host.example/v1/chat/completions", "HTTPS:/host.example/v1/chat/completions"],
  ["https:\\\\me:secret@host.example/v1/chat/completions", "https:\\\\host.example/v1/chat/completions"],
  ["//me:secret@host.example/v1/chat/completions", "//host.example/v1/chat/completions"],
  ["https://host.example/v1/chat/completions?key=a\nsecret", "https://host.example/v1/chat/completions"],
  ["https://host.example/@me/v1/chat/completions", "https://host.example/@me/v1/chat/completions"],
  ["/me@home/v1/chat/completions", "/me@home/v1/chat/completions"],
])("of %j what is told is %j", async (url, told) => {
  const said: string[] = [];
  const urls: string[] = [];
  const fetch = wrapFetch({
    logger: { warn: (line) => void said.push(line) },
    onRepair: (repair) => void urls.push(repair.url),
    fetch: async () => new Response(answer, { headers: { "content-type": "text/event-stream" } }),
  });
  const response = await fetch(url, { method: "POST", body });
  await expect(response.text()).rejects.toThrow("cut off");
  expect(urls).toEqual([told, told]); // of the request and of the answer
  expect(said.join()).toContain(told);
  expect(said.join()).not.toContain("secret");
});
