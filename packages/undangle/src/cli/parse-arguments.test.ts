import { describe, expect, test } from "vitest";
import { parseArguments } from "./parse-arguments.ts";

const parse = (line: string) => parseArguments(line === "" ? [] : line.split(" "));

describe("what a command line asks for", () => {
  test.each([
    ["check a b", { type: "run", command: "check", operands: ["a", "b"], options: {} }],
    ["check -", { type: "run", command: "check", operands: ["-"], options: {} }],
    ["--json check a", { type: "run", command: "check", operands: ["a"], options: { json: true } }],
    [
      "check a --format anthropic",
      { type: "run", command: "check", operands: ["a"], options: { format: "anthropic" } },
    ],
    [
      "check a --format=anthropic",
      { type: "run", command: "check", operands: ["a"], options: { format: "anthropic" } },
    ],
    ["repair a -o b", { type: "run", command: "repair", operands: ["a"], options: { output: "b" } }],
    ["repair a -ob", { type: "run", command: "repair", operands: ["a"], options: { output: "b" } }],
    ["repair a -o -", { type: "run", command: "repair", operands: ["a"], options: { output: "-" } }],
    ["repair -i a", { type: "run", command: "repair", operands: ["a"], options: { inPlace: true } }],
    [
      "repair a --dangling-at-end leave",
      { type: "run", command: "repair", operands: ["a"], options: { danglingAtEnd: "leave" } },
    ],
    ["explain -- --odd text", { type: "run", command: "explain", operands: ["--odd", "text"], options: {} }],
    ["explain x --format gemini", { type: "run", command: "explain", operands: ["x"], options: { format: "gemini" } }],
    ["", { type: "nothing" }],
    ["--help", { type: "help", command: undefined }],
    ["-h", { type: "help", command: undefined }],
    ["help", { type: "help", command: undefined }],
    ["check --help", { type: "help", command: "check" }],
    ["help check", { type: "help", command: "check" }],
    ["check --nonsense --help", { type: "help", command: "check" }],
    ["--version", { type: "version" }],
  ])("%j", (line, request) => {
    expect(parse(line)).toEqual(request);
  });
});

describe("a mistake says what would be right", () => {
  test.each([
    [
      "chekc a",
      ['Unknown command "chekc"', "Did you mean check?", "check, repair, convert, assemble, explain, doctor"],
    ],
    ["check --fromat anthropic", ['Unknown option "--fromat"', "Did you mean --format?"]],
    ["check --format antropic", ['Unknown value of --format "antropic"', "Did you mean anthropic?", "openai-chat, "]],
    ["check --format telegram", ["openai-chat, "]],
    ["check --language fr", ["en, zh"]],
    ["check --orphans drop", ["--orphans is not an option of check", "--format"]],
    ["repair --orphans keep", ["restore, quote, drop"]],
    ["repair --notices loud", ["by-cause, classic"]],
    ["repair a -o", ["-o needs a value: -o OUT"]],
    ["repair --orphans --json", ["--orphans needs a value: --orphans restore|quote|drop"]],
    ["check --json=yes", ["--json does not take a value"]],
    ["check --model= a", ["--model needs a value"]],
    ["--json", ["--json needs a command"]],
    ["check -x", ['Unknown option "-x"']],
  ])("%j", (line, parts) => {
    const request = parse(line);
    expect(request.type).toBe("usage");
    for (const part of parts) expect(request).toHaveProperty("message", expect.stringContaining(part));
  });
});

test("of the options only those of the command are named, and one of them is meant", () => {
  expect(parse("chat --threads")).toMatchObject({
    message: `Unknown option "--threads". Did you mean --thread?\nOptions of chat: --model, --agent, --config, --store, --thread, --files, --deep, --mode, --approve, --language, --json, --quiet, --no-color, --help`,
  });
  expect(parse("explain --orphan x")).not.toHaveProperty("message", expect.stringContaining("--orphans"));
  expect(parse("--orphan")).toHaveProperty("message", expect.stringContaining("Did you mean --orphans?"));
});

test("an option that repeats has all of its values, in their order", () => {
  const argv = ["threads", "decide", "t1", "--approve", "call_1", "--reject=call_2=no, thanks", "--approve=call_3"];
  expect(parseArguments(argv)).toEqual({
    type: "run",
    command: "threads",
    operands: ["decide", "t1"],
    options: { approve: ["call_1", "call_3"], reject: ["call_2=no, thanks"] },
  });
});

test("of any other option the last value counts", () => {
  expect(parseArguments(["check", "--provider", "mistral", "--provider", "openai"])).toMatchObject({
    options: { provider: "openai" },
  });
});
