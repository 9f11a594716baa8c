import { describe, expect, test } from "vitest";
import { runIn } from "../memory-io.fixture.ts";
import { dangling, empty, healthy } from "./histories.fixture.ts";

const line = (body: unknown): string => `${JSON.stringify(body)}\n`;

const withImage = {
  model: "gpt-4o",
  messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }],
};

const asBedrock = {
  modelId: "gpt-4o",
  messages: [{ role: "user", content: [{ text: "[image: https://example.com/a.png]" }] }],
};

const lossOfImage = {
  path: "messages[0].content[0]",
  what: "an image by URL",
  why: "bedrock accepts only bytes or an S3 address; a placeholder replaces it",
};

describe("where the result goes", () => {
  test("to stdout, and what was lost to stderr", async () => {
    const outcome = await runIn({ files: { "a.json": line(withImage) } }, "convert", "a.json", "--to", "bedrock");
    expect(outcome.exitCode).toBe(0);
    expect(JSON.parse(outcome.stdout)).toEqual(asBedrock);
    expect(outcome.stderr).toBe(
      `a.json: messages[0].content[0]: loss: an image by URL: ${lossOfImage.why}\na.json: converted to bedrock, 1 loss\n`,
    );
  });

  test("to a file", async () => {
    const args = ["convert", "--to", "bedrock", "-o", "out.json"];
    const { stdout, stderr, files } = await runIn({ stdin: line(withImage) }, ...args);
    expect(JSON.parse(files["out.json"] ?? "")).toEqual(asBedrock);
    expect(stdout).toBe("");
    expect(stderr).toContain("out.json: written\n");
  });

  test("into the place of the history, where that stands inside something else", async () => {
    const world = { stdin: line({ request: { body: withImage }, status: 400 }) };
    const { stdout, stderr } = await runIn(world, "convert", "--to", "bedrock", "--at", "request.body");
    expect(JSON.parse(stdout)).toEqual({ request: { body: asBedrock }, status: 400 });
    expect(stderr).toContain("stdin: request.body.messages[0].content[0]: loss: ");
  });

  test("line by line for JSON lines, with a line that cannot be read passed on", async () => {
    const world = { files: { "log.jsonl": `${line(healthy)}not json\n${line(withImage)}` } };
    const { stdout, stderr, exitCode } = await runIn(world, "convert", "log.jsonl", "--to", "bedrock");
    expect(exitCode).toBe(2);
    expect(stdout.split("\n")).toHaveLength(4);
    expect(stdout.split("\n")[1]).toBe("not json");
    expect(stderr).toContain("log.jsonl:3: messages[0].content[0]: loss: ");
    expect(stderr).toContain("log.jsonl: converted to bedrock in 2 lines, 1 loss\n");
  });
});

describe("what it says", () => {
  test("with --json all of it, on stdout", async () => {
    const { stdout, stderr } = await runIn({ stdin: line(withImage) }, "convert", "--to", "bedrock", "--json");
    const expected = { file: "stdin", from: "openai-chat", to: "bedrock", output: asBedrock, losses: [lossOfImage] };
    expect(JSON.parse(stdout)).toEqual({ ...expected, problems: [] });
    expect(stderr).toBe("");
  });

  test("with --json and a file, all but the output", async () => {
    const args = ["convert", "--to", "bedrock", "--json", "-o", "out.json"];
    const { stdout, files } = await runIn({ stdin: line(withImage) }, ...args);
    expect(JSON.parse(stdout)).not.toHaveProperty("output");
    expect(JSON.parse(files["out.json"] ?? "")).toEqual(asBedrock);
  });

  test("nothing of losses with --quiet", async () => {
    const { stdout, stderr } = await runIn({ stdin: line(withImage) }, "convert", "--to", "bedrock", "--quiet");
    expect(JSON.parse(stdout)).toEqual(asBedrock);
    expect(stderr).toBe("");
  });

  test("in Chinese", async () => {
    const args = ["convert", "--to", "bedrock", "--language", "zh"];
    const { stderr } = await runIn({ stdin: line(withImage) }, ...args);
    expect(stderr).toContain("messages[0].content[0]: 丢失: ");
    expect(stderr).toContain("stdin: 已转换为 bedrock，1 处丢失\n");
  });
});

describe("how it ends", () => {
  test("a broken history is mended on the way: 0", async () => {
    const { stdout, exitCode } = await runIn({ stdin: line(dangling) }, "convert", "--to", "anthropic");
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"tool_result"');
  });

  test("what no repair can mend is left, and named: 1", async () => {
    const args = ["convert", "--from", "openai-chat", "--to", "anthropic"];
    const { stderr, exitCode } = await runIn({ stdin: line(empty) }, ...args);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("stdin: messages: no-messages: ");
    expect(stderr).toContain("; 1 problem left\n");
  });

  test.each([
    ["without a target", ["a.json"], "--to is required"],
    ["for a target that there is not", ["a.json", "--to", "telegram"], "Known: "],
    ["for a provider of another format", ["a.json", "--to", "anthropic", "--provider", "mistral"], "provider"],
    ["two files at once", ["a.json", "a.json", "--to", "anthropic"], "one FILE"],
    ["onto itself", ["a.json", "--to", "anthropic", "-o", "a.json"], "choose another file"],
    ["what is not there", ["b.json", "--to", "anthropic"], "no such file"],
    ["with an option of another command", ["a.json", "--to", "anthropic", "--in-place"], "not an option of convert"],
  ])("not %s: 2", async (_, args, message) => {
    const { stderr, stdout, exitCode } = await runIn({ files: { "a.json": line(healthy) } }, "convert", ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout).toBe("");
  });

  test("a format that cannot be told is asked for by the option of this command", async () => {
    const { stderr, exitCode } = await runIn({ stdin: line({ messages: [{}] }) }, "convert", "--to", "anthropic");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Choose one with --from: openai-chat");
  });
});
