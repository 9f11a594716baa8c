import { formats } from "#codecs";
import { createAgent } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, expectTypeOf, test } from "vitest";

const instructions = "You manage the user's mail.";

describe.each(formats)("in %s", (format) => {
  test("an export has no instructions, and a history has them as those of the system or not at all", async () => {
    const model = scriptedModel([{ text: "Hello." }]);
    const thread = createAgent({ model, instructions }).thread("t");
    await thread.send("Hi.").result;
    expect(JSON.stringify(await thread.export(format))).not.toContain("mail");
    const history: readonly object[] = await thread.history(format);
    const told = history.filter((message) => JSON.stringify(message).includes("mail"));
    const hasPlace = !["anthropic", "gemini", "bedrock"].includes(format);
    expect(told.map((message): unknown => ("role" in message ? message.role : Reflect.get(message, "type")))).toEqual(
      hasPlace ? ["system"] : [],
    );
    expect(history.length - told.length).toBe(2);
  });

  test("system messages that were imported stay in the history", async () => {
    const thread = createAgent({ model: scriptedModel([]), instructions }).thread("t");
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi." },
    ];
    await thread.import(messages, { format: "openai-chat" });
    expect(JSON.stringify(await thread.export(format))).toContain("Be brief.");
  });
});

test("a history is typed by its format", async () => {
  const thread = createAgent({ model: scriptedModel([{ text: "Hello." }]) }).thread("t");
  await thread.send("Hi.").result;
  const chat = await thread.history("openai-chat");
  expectTypeOf(chat.at(-1)?.role).toEqualTypeOf<"system" | "developer" | "user" | "assistant" | "tool" | undefined>();
  expect(chat.at(-1)?.content).toBe("Hello.");
  const contents = await thread.export("gemini");
  expectTypeOf(contents[0]?.role).toEqualTypeOf<"user" | "model" | undefined>();
  expect(contents.map(({ role }) => role)).toEqual(["user", "model"]);
  expectTypeOf(await thread.export()).toHaveProperty("undangle");
});
