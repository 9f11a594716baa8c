import { describe, expect, test } from "vitest";
import { assemble } from "./assemble.ts";

const textOf = async (...events: readonly string[]): Promise<string> => {
  const { text } = await assemble(events.map((event) => `data: ${event}\n\n`).join(""), {
    format: "openai-chat",
  }).turn();
  return text;
};

const saying = (text: string): string => `{"choices":[{"index":0,"delta":{"content":"${text}"}}]}`;

describe("an event that is the one before with another text", () => {
  test("is read with what it says now", async () => {
    expect(await textOf(saying("a"), saying("b"), saying(""), saying("c"))).toBe("abc");
  });

  test("may write its text in any way", async () => {
    expect(await textOf(saying("a"), saying('\\"'), saying("\\u0062\\n"), saying("é"))).toBe('a"b\né');
  });

  test("may have blanks", async () => {
    const spaced = (text: string): string => `{"choices": [{"index": 0, "delta": {"content": "${text}"}}]}`;
    expect(await textOf(spaced("a"), spaced("b"))).toBe("ab");
  });
});

describe("an event that only looks like the one before", () => {
  test("may say more, in a key of its own", async () => {
    expect(await textOf(saying("a"), saying('b","refusal":"c'))).toBe("abc");
  });

  test("may say the same twice, of which one counts", async () => {
    const twice = (noted: string, said: string): string =>
      `{"choices":[{"index":0,"note":{"content":"${noted}"},"delta":{"content":"${said}"}}]}`;
    expect(await textOf(twice("a", "a"), twice("b", "a"))).toBe("aa");
    expect(await textOf(twice("\\u0061", "a"), twice("\\u0061", "b"))).toBe("ab");
    expect(await textOf(twice("a", "\\u0061"), twice("b", "\\u0061"))).toBe("aa");
  });

  test("may be no JSON at all", async () => {
    expect(await textOf(saying("a"), saying('b" and "c'), saying("d\\x"), saying("e"))).toBe("ae");
  });

  test("may come after something else has happened", async () => {
    const ended = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`;
    const source = [saying("a"), saying("b"), `[${ended}]`, saying("c")].map((event) => `data: ${event}\n\n`).join("");
    const turn = await assemble(source, { format: "openai-chat" }).turn();
    expect(turn.text).toBe("abc");
    expect(turn.anomalies.map(({ kind }) => kind)).toContain("after-finish");
  });

  test("may say the same twice, written in two ways", async () => {
    const twice = (noted: string): string =>
      `{"choices":[{"index":0,"delta":{"content": "a"},"message":{"content":"${noted}"}}]}`;
    expect(await textOf(twice("a"), twice("b"))).toBe("aa");
    expect(await textOf(twice("b"), twice("a"), twice("b"))).toBe("aaa");
  });

  test("may come after one that was an error and was not read", async () => {
    const broken = (text: string): string =>
      `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"},"error":{"message":"x"}}`;
    const source = [broken("a"), broken("b"), broken("c")].map((event) => `data: ${event}\n\n`).join("");
    const turn = await assemble(source, { format: "anthropic" }).turn();
    expect(turn).toMatchObject({ text: "", finish: "error", complete: false });
  });
});
