import { expect, test } from "vitest";
import { runIn } from "../memory-io.fixture.ts";

const chunk = (delta: unknown, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const call = (index: number, id: string | null, name: string | null, args: string): string =>
  chunk({ tool_calls: [{ index, id, function: { name, arguments: args } }] });

const good = [
  chunk({ content: "Let me look. " }),
  call(0, "call_1", "get_weather", ""),
  call(0, null, null, '{"city":'),
  call(0, null, null, '"Oslo"}'),
  chunk({}, "tool_calls"),
  "data: [DONE]\n\n",
].join("");

test("a complete turn: what was said, the call with its state and arguments, and how it ended", async () => {
  const { stdout, stderr, exitCode } = await runIn({ files: { "a.txt": good } }, "assemble", "a.txt");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toBe(`
  a.txt
  openai-chat · 5 frames

  ✓ Complete.
    The model waits for tool results (tool_calls).

  Text
    Let me look.

  Call get_weather  call_1  ready
    {"city":"Oslo"}

`);
});

test("a stream that was cut off: exit code 1, the call is not ready, each anomaly with its sentence", async () => {
  const cut = call(1, null, "write_file", '{"path":"a\u001B[2J');
  const { stdout, exitCode } = await runIn({ stdin: cut }, "assemble", "-");
  expect(exitCode).toBe(1);
  expect(stdout).toContain("✗ Incomplete: the stream ended early, and no call may be executed.");
  expect(stdout).toContain('(id generated)  truncated: cut off, must not be executed\n    {"path":"a\\x1b[2J');
  expect(stdout).toMatch(/arguments-truncated {2}The arguments are truncated; [^]*stream-cut {2}/);
});

test.each([
  ["a call that is not JSON", call(0, "c", "bash", "ls -l") + chunk({}, "tool_calls"), [], 1],
  ["almost JSON, read with leniency", call(0, "c", "bash", '{"a":1,}') + chunk({}, "stop"), ["--lenient"], 1],
  ["an error in the stream", 'data: {"error":{"message":"Overloaded","code":529}}\n\n', ["--format", "anthropic"], 1],
  ["text only", chunk({ content: "Hi" }) + chunk({}, "stop"), [], 0],
  [
    "a call that was written as text",
    chunk({ content: '<tool_call>{"name":"bash","arguments":{"c":1}}</tool_call>' }) + chunk({}, "stop"),
    ["--tools", "search, bash", "--recover-leaked"],
    0,
  ],
])("the exit code says whether everything is ready: %s", async (_, stdin, args, exitCode) => {
  expect((await runIn({ stdin }, "assemble", ...args)).exitCode).toBe(exitCode);
});

test("--trace shows what each frame did, numbered as in anomalies", async () => {
  const { stdout } = await runIn({ stdin: good }, "assemble", "--trace");
  expect(stdout).toMatch(/^\n {2}0 {4}text-delta "Let me look\. "\n/);
  expect(stdout).toContain('\n  2    call-start 0 get_weather call_1\n       call-delta 0 "{\\"city\\":"\n');
  expect(stdout).toContain("\n  4    nothing\n");
  expect(stdout).toContain("\n  end  call-end 0 call_1 ready\n       finish The model waits for tool results");
  expect(stdout).toContain("✓ Complete.");
});

test("--json, with and without a trace", async () => {
  const plain = JSON.parse((await runIn({ stdin: good }, "assemble", "--json")).stdout) as unknown;
  expect(plain).toMatchObject({
    file: "stdin",
    format: "openai-chat",
    turns: [{ text: "Let me look. ", calls: [{ id: "call_1", arguments: { city: "Oslo" }, state: "ready" }] }],
  });
  const traced = JSON.parse((await runIn({ stdin: good }, "assemble", "--json", "--trace")).stdout) as unknown;
  expect(traced).toMatchObject({ frames: { 1: { number: 1, parts: [] }, 3: { parts: [{ text: '"Oslo"}' }] } } });
});

test("the trace and the turn are the same however the stream is written: lines ends, events, a body", async () => {
  const ollama =
    '{"message":{"content":"Hi"},"done":false}\n{"message":{"content":""},"done":true,"done_reason":"stop"}\n';
  expect((await runIn({ stdin: ollama }, "assemble")).stdout).toContain("ollama · 2 frames");
  const body = JSON.stringify({ choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] }, undefined, 2);
  const { stdout, exitCode } = await runIn({ stdin: body }, "assemble");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("whole-body");
  const returns = await runIn(
    { stdin: `HTTP/1.1 200 OK\r\n\r\n${good.replaceAll("\n", "\r\n")}` },
    "assemble",
    "--json",
  );
  expect(returns.stdout).toBe((await runIn({ stdin: good }, "assemble", "--json")).stdout);
});

test("an end without a reason is an end only where the stream says so", async () => {
  const open = chunk({ content: "Hi" });
  expect((await runIn({ stdin: open }, "assemble")).exitCode).toBe(1);
  expect((await runIn({ stdin: `${open}data: [DONE]\n\n` }, "assemble")).exitCode).toBe(0);
});

test("several choices are shown one after the other", async () => {
  const two = { choices: [0, 1].map((index) => ({ index, message: { content: `n${index}` }, finish_reason: "stop" })) };
  const { stdout } = await runIn({ stdin: JSON.stringify(two) }, "assemble");
  expect(stdout).toMatch(/Choice 0[^]*n0[^]*Choice 1[^]*n1/);
});

test("long texts are cut for a person", async () => {
  const long = chunk({ content: "word ".repeat(100_000) }) + chunk({}, "stop");
  const { stdout } = await runIn({ stdin: long }, "assemble");
  expect(stdout.length).toBeLessThan(5000);
  expect(stdout).toContain("… 500,000 characters in all; --json has them");
});

test("Chinese", async () => {
  const { stdout } = await runIn({ stdin: call(0, null, "bash", "{") }, "assemble", "--language", "zh");
  expect(stdout).toContain("✗ 不完整");
  expect(stdout).toContain("参数被截断：不得执行该调用。（调用 0");
});

test.each([
  ["no input", {}, []],
  ["a file that is not there", {}, ["gone.txt"]],
  ["two files", { files: { a: good } }, ["a", "a"]],
  ["a format that is none", { stdin: good }, ["--format", "ai-sdk"]],
  ["a format that cannot be told", { stdin: "data: hello\n\n" }, []],
  ["nothing at all", { stdin: "" }, []],
  ["leaks without tools", { stdin: good }, ["--recover-leaked"]],
  ["too long", { stdin: good, longestText: 10 }, []],
])("%s is a mistake", async (_, world, args) => {
  const { exitCode, stderr, stdout } = await runIn(world, "assemble", ...args);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^undangle: /);
  expect(stdout).toBe("");
});

test("what cannot be told is said with the formats that there are, as data too", async () => {
  const { stderr } = await runIn({ stdin: "data: hello\n\n" }, "assemble");
  expect(stderr).toContain("it contains no frame of a known stream format");
  expect(stderr).toContain("--format: openai-chat, openai-responses, anthropic, gemini, bedrock, ollama");
  const { stdout } = await runIn({ stdin: "hello" }, "assemble", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ file: "stdin", error: { code: "format/unknown" } });
});

test("--quiet says it by the exit code alone", async () => {
  expect(await runIn({ stdin: good }, "assemble", "-q")).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
});
