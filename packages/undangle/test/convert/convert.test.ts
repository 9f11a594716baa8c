import { convert, repair, UndangleError } from "undangle";
import type { Converted, ConvertOptions } from "undangle";
import { describe, expect, test } from "vitest";

const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

const chat = {
  model: "gpt-4o",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "List the files." },
    { role: "assistant", content: null, tool_calls: [call("call_1", "ls", '{"path":"/"}')] },
    { role: "tool", tool_call_id: "call_1", content: "a.txt" },
    { role: "user", content: "Thanks." },
  ],
  tools: [{ type: "function", function: { name: "ls", description: "Lists.", parameters: { type: "object" } } }],
  tool_choice: { type: "function", function: { name: "ls" } },
  max_tokens: 100,
  temperature: 0.5,
  stop: ["END"],
};

const lost = ({ losses }: Converted): readonly string[] => losses.map(({ path, what }) => `${path}: ${what}`);

describe("a body", () => {
  test("becomes a Messages request with system, tools, choice and parameters", () => {
    expect(convert(chat, { to: "anthropic", model: "claude-sonnet-4-5" })).toMatchObject({
      losses: [],
      from: "openai-chat",
      output: {
        model: "claude-sonnet-4-5",
        system: "Be brief.",
        messages: [
          { role: "user", content: "List the files." },
          { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "ls", input: { path: "/" } }] },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "call_1", content: "a.txt" },
              { type: "text", text: "Thanks." },
            ],
          },
        ],
        tools: [{ name: "ls", description: "Lists.", input_schema: { type: "object" } }],
        tool_choice: { type: "tool", name: "ls" },
        max_tokens: 100,
        temperature: 0.5,
        stop_sequences: ["END"],
      },
    });
  });

  test("becomes a Gemini request", () => {
    expect(convert(chat, { to: "gemini", model: "gemini-2.5-flash" }).output).toMatchObject({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["ls"] } },
      generationConfig: { maxOutputTokens: 100, temperature: 0.5, stopSequences: ["END"] },
      contents: [
        {},
        { role: "model", parts: [{ functionCall: { id: "call_1", name: "ls", args: { path: "/" } } }] },
        { role: "user", parts: [{ functionResponse: { id: "call_1", name: "ls", response: { result: "a.txt" } } }] },
        { role: "user", parts: [{ text: "Thanks." }] },
      ],
    });
  });

  test("becomes a Responses request, which has no stop", () => {
    const converted = convert(chat, { to: "openai-responses" });
    expect(lost(converted)).toEqual(["stop: the parameter stop"]);
    expect(converted.output).toMatchObject({
      input: [
        { role: "system", content: "Be brief." },
        { role: "user" },
        { type: "function_call", call_id: "call_1", name: "ls", arguments: '{"path":"/"}' },
        { type: "function_call_output", call_id: "call_1", output: "a.txt" },
        { role: "user" },
      ],
      tool_choice: { type: "function", name: "ls" },
      max_output_tokens: 100,
    });
  });

  test.each([
    ["openai-responses", ["stop"]],
    ["anthropic", []],
    ["gemini", []],
    ["bedrock", []],
    ["ollama", ["tool_choice"]],
    ["ai-sdk", []],
    ["langchain", []],
  ] as const)(
    "comes back from %s with all that stands around the messages, but what is said to be lost",
    (to, missing) => {
      const there = convert(chat, { to });
      expect(there.losses.map(({ path }) => path)).toEqual(missing);
      const { max_tokens, ...rest } = chat;
      const expected = { ...rest, max_completion_tokens: max_tokens };
      const back = convert(there.output, { from: to, to: "openai-chat" });
      expect(back.losses).toEqual([]);
      expect({ ...expected, ...(back.output as object) }).toEqual(expected);
      const kept = Object.keys(expected).filter((key) => !(missing as readonly string[]).includes(key));
      expect(Object.keys(back.output as object).toSorted()).toEqual(kept.toSorted());
    },
  );

  test("may have a plain text in place of its list", () => {
    const { output } = convert({ model: "gpt-5.1", input: "Hi." }, { to: "anthropic" });
    expect(output).toMatchObject({ messages: [{ role: "user", content: "Hi." }] });
  });

  test("keeps the name of its model unless another is given", () => {
    expect(convert(chat, { to: "anthropic" }).output).toHaveProperty("model", "gpt-4o");
    expect(convert(chat, { to: "bedrock" }).output).toHaveProperty("modelId", "gpt-4o");
  });

  test("gets the limit that Anthropic cannot do without", () => {
    const body = { model: "gpt-4o", messages: [{ role: "user", content: "Hi." }] };
    expect(convert(body, { from: "openai-chat", to: "anthropic" }).output).toHaveProperty("max_tokens", 4096);
  });
});

describe("an array", () => {
  test("stays one", () => {
    const { output } = convert(chat.messages, { to: "langchain" });
    expect(output).toMatchObject([
      { type: "system", content: "Be brief." },
      { type: "human", content: "List the files." },
      { type: "ai", tool_calls: [{ id: "call_1", name: "ls", args: { path: "/" } }] },
      { type: "tool", tool_call_id: "call_1", name: "ls", content: "a.txt" },
      { type: "human", content: "Thanks." },
    ]);
  });

  test("has no place for system text where the body has it: the user says it, and that is a loss", () => {
    const converted = convert(chat.messages, { to: "anthropic" });
    expect(lost(converted)).toEqual(["messages[0]: a system message"]);
    expect(converted.output).toMatchObject([{ role: "user", content: "Be brief." }, { role: "user" }, {}, {}]);
  });
});

describe("the same format", () => {
  test("gives what a repair gives", () => {
    expect(convert(chat, { to: "openai-chat" })).toMatchObject({ output: chat, losses: [] });
    expect(convert(chat, { to: "openai-chat" }).output).toBe(chat);
    const { output } = convert(chat, { to: "openai-chat", provider: "mistral" });
    expect(output).toEqual(repair(chat, { format: "openai-chat", provider: "mistral" }).output);
  });
});

describe("what a target cannot hold", () => {
  const said = (...parts: readonly object[]) => ({ model: "gpt-4o", messages: [{ role: "user", content: parts }] });
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  const audio = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } };

  test("an image by URL where only bytes are taken", () => {
    const converted = convert(said(image), { to: "bedrock" });
    expect(lost(converted)).toEqual(["messages[0].content[0]: an image by URL"]);
    expect(converted.output).toMatchObject({
      messages: [{ content: [{ text: "[image: https://example.com/a.png]" }] }],
    });
    expect(lost(convert(said(image), { to: "gemini" }))).toEqual([]);
  });

  test("audio where there is none", () => {
    const converted = convert(said(audio), { to: "anthropic" });
    expect(lost(converted)).toEqual(["messages[0].content[0]: audio"]);
    expect(converted.output).toMatchObject({ messages: [{ content: "[audio: audio/wav]" }] });
    expect(lost(convert(said(audio), { to: "gemini" }))).toEqual([]);
  });

  test("a file, but of one that is text what it says", () => {
    const file = (name: string, type: string, data: string) => {
      return { type: "file", file: { filename: name, file_data: `data:${type};base64,${data}` } };
    };
    const body = said(file("a.txt", "text/plain", "aMOkbGxvIOS9oOWlvQ=="), file("b.csv", "text/csv", "//5B"));
    const converted = convert(body, { to: "ollama" });
    expect(lost(converted)).toEqual(["messages[0].content[0]: a file", "messages[0].content[1]: a file"]);
    expect(converted.output).toMatchObject({ messages: [{ content: "hällo 你好\n[file: b.csv]" }] });
  });

  const thinking = {
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi.", cache_control: { type: "ephemeral" } }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "EqQBCkYIBRgCKkDs7VqwZQ==" },
          { type: "text", text: "Hello." },
        ],
      },
      { role: "user", content: "Go on." },
    ],
  };

  test("reasoning that another provider has signed, and cache markers", () => {
    expect(lost(convert(thinking, { to: "openai-chat" }))).toEqual([
      "messages[0].content[0].cache_control: a cache marker",
      "messages[1].content[0]: reasoning",
    ]);
    expect(lost(convert(thinking, { to: "bedrock" }))).toEqual([
      "messages[0].content[0].cache_control: a cache marker",
    ]);
  });

  test("signed reasoning is the same when it comes back from a format that holds it", () => {
    for (const to of ["bedrock", "ai-sdk", "langchain"] as const) {
      const back = convert(convert(thinking, { to }).output, { from: to, to: "anthropic" }).output;
      expect(back).toMatchObject({ messages: [{}, { content: thinking.messages[1]?.content }, {}] });
    }
  });

  test("what a provider ran itself is told as text", () => {
    const searched = {
      ...thinking,
      messages: [
        { role: "user", content: "Look it up." },
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "undangle" } },
            {
              type: "web_search_tool_result",
              tool_use_id: "srvtoolu_1",
              content: [{ type: "web_search_result", title: "A" }],
            },
            { type: "text", text: "Found." },
          ],
        },
        { role: "user", content: "Thanks." },
      ],
      tools: [{ type: "web_search_20250305", name: "web_search" }],
    };
    const converted = convert(searched, { to: "openai-chat" });
    expect(lost(converted)).toEqual([
      "tools[0]: the provider tool web_search",
      "messages[1].content[0]: a call of the server tool web_search",
      "messages[1].content[1]: the result of a server tool",
    ]);
    expect(JSON.stringify(converted.output)).toContain("undangle");
    expect(JSON.stringify(converted.output)).toContain("Found.");
  });

  test("a system message in the middle goes to the front", () => {
    const body = {
      ...chat,
      messages: [...chat.messages, { role: "assistant", content: "Yes?" }, { role: "system", content: "Be kind." }],
    };
    const converted = convert(body, { to: "gemini" });
    expect(lost(converted)).toEqual(["messages[6]: the position of a system message"]);
    expect(converted.output).toHaveProperty("systemInstruction.parts", [{ text: "Be brief." }, { text: "Be kind." }]);
  });

  test("parameters and fields that it has no name for", () => {
    const body = { ...chat, logit_bias: { 42: 1 }, temperature: 1.5, parallel_tool_calls: false };
    expect(lost(convert(body, { to: "bedrock" }))).toEqual([
      "temperature: a temperature",
      "logit_bias: the field logit_bias",
      "parallel_tool_calls: the limit of one call at a time",
    ]);
  });

  test("the digits of a long number, where arguments are objects", () => {
    const messages = [
      { role: "assistant", content: null, tool_calls: [call("call_1", "get", '{"id":12345678901234567891}')] },
      { role: "tool", tool_call_id: "call_1", content: "a" },
    ];
    expect(lost(convert(messages, { from: "openai-chat", to: "ai-sdk" }))).toEqual([
      "messages[0].tool_calls[0]: digits of a number in the arguments",
    ]);
    expect(lost(convert(messages, { from: "openai-chat", to: "openai-responses" }))).toEqual([]);
  });
});

describe("calls and results", () => {
  const answered = (args: string, content: unknown) => [
    { role: "user", content: "Go." },
    { role: "assistant", content: null, tool_calls: [call("call_1", "run", args)] },
    { role: "tool", tool_call_id: "call_1", content },
  ];

  test("arguments that are not JSON stand in a wrapper, and come back out of it", () => {
    const there = convert(answered('{"a":', "x"), { from: "openai-chat", to: "anthropic" }).output;
    expect(there).toMatchObject([{}, { content: [{ input: { _raw: '{"a":' } }] }, {}]);
    const back = convert(there, { from: "anthropic", to: "openai-chat" }).output;
    expect(back).toMatchObject([{}, { tool_calls: [{ function: { arguments: '{"a":' } }] }, {}]);
  });

  test("a tool for free text is one again when it comes back", () => {
    const body = {
      model: "gpt-5.1",
      messages: [
        { role: "user", content: "Patch it." },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "custom", custom: { name: "patch", input: "*** a" } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "done" },
      ],
      tools: [{ type: "custom", custom: { name: "patch", description: "Patches." } }],
    };
    const there = convert(body, { to: "anthropic" });
    expect(lost(there)).toEqual(["tools[0]: a tool with plain text as input"]);
    const back = convert(there.output, { from: "anthropic", to: "openai-chat" }).output;
    expect(back).toMatchObject({ messages: body.messages, tools: body.tools });
  });

  test("ids that are absent are minted, the same each time", () => {
    const contents = [
      { role: "user", parts: [{ text: "Go." }] },
      { role: "model", parts: [{ functionCall: { name: "a", args: {} } }, { functionCall: { name: "b", args: {} } }] },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "a", response: { result: "1" } } },
          { functionResponse: { name: "b", response: { result: "2" } } },
        ],
      },
    ];
    const { output } = convert({ contents }, { to: "openai-chat" });
    const { messages } = output as { messages: readonly { tool_calls?: { id: string }[]; tool_call_id?: string }[] };
    const ids = messages[1]?.tool_calls?.map(({ id }) => id) ?? [];
    expect(ids).toEqual([expect.stringMatching(/^call_[0-9a-f]{24}$/u), expect.stringMatching(/^call_[0-9a-f]{24}$/u)]);
    expect(messages.slice(2).map(({ tool_call_id: id }) => id)).toEqual(ids);
    expect(convert({ contents }, { to: "openai-chat" }).output).toEqual(output);
  });

  test("ids are adapted to the provider of the output", () => {
    const { output } = convert(convert(chat, { to: "anthropic" }).output, {
      from: "anthropic",
      to: "openai-chat",
      provider: "mistral",
    });
    expect(JSON.stringify(output)).toMatch(/"tool_call_id":"[a-zA-Z0-9]{9}"/u);
  });

  test.each([
    ["bedrock", { messages: [{}, {}, { content: [{ toolResult: { status: "error" } }] }] }],
    ["gemini", { contents: [{}, {}, { parts: [{ functionResponse: { response: { error: "no" } } }] }] }],
    ["ai-sdk", { messages: [{}, {}, { content: [{ output: { type: "error-text", value: "no" } }] }] }],
    ["langchain", { messages: [{}, {}, { status: "error", content: "no" }] }],
  ] as const)("the mark of an error is kept in %s, and back", (to, expected) => {
    const body = {
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      tools: [{ name: "run", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Go." },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "run", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "no", is_error: true }] },
      ],
    };
    const { output, losses } = convert(body, { to });
    expect(losses).toEqual([]);
    expect(output).toMatchObject(expected);
    expect(convert(output, { from: to, to: "anthropic" }).output).toMatchObject({ messages: body.messages });
  });

  test("an image in a result follows in a user message where only those hold it", () => {
    const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
    const messages = [
      { role: "user", content: "Show me." },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "shot", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "image", source }] }],
      },
    ];
    const converted = convert(messages, { from: "anthropic", to: "openai-chat" });
    expect(lost(converted)).toEqual(["messages[2].content[0].content[0]: an image in a result"]);
    expect(converted.output).toMatchObject([
      {},
      {},
      { role: "tool" },
      { role: "user", content: [{ image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }] },
    ]);
  });

  test("what a person refused is told so", () => {
    const messages = [
      { role: "user", content: "Delete it." },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "call_1", toolName: "delete", input: {} },
          { type: "tool-approval-request", approvalId: "a1", toolCallId: "call_1" },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: false, reason: "no" }] },
    ];
    const { output } = convert(messages, { from: "ai-sdk", to: "openai-chat" });
    expect(JSON.stringify(output)).toContain("userRejected");
    const inChinese = convert(messages, { from: "ai-sdk", to: "openai-chat", language: "zh" }).output;
    expect(JSON.stringify(inChinese)).toContain("用户拒绝了此操作");
  });
});

describe("a broken input", () => {
  test("is mended first, and losses name their place in it as it was", () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    const body = {
      model: "gpt-4o",
      messages: [
        { role: "user", content: "Go." },
        { role: "assistant", content: null, tool_calls: [call("call_1", "run", "{}")] },
        { role: "user", content: [image] },
      ],
    };
    const converted = convert(body, { to: "bedrock" });
    expect(lost(converted)).toEqual(["messages[2].content[0]: an image by URL"]);
    expect(JSON.stringify(converted.output)).toContain("was cancelled");
  });

  test("says in the language that is asked for what became of a call", () => {
    const messages = [chat.messages[1], chat.messages[2], chat.messages[4]];
    const { output } = convert(messages, { from: "openai-chat", to: "gemini", language: "zh" });
    expect(JSON.stringify(output)).toContain("工具调用");
  });
});

describe("options that cannot be met", () => {
  const user = { role: "user", content: "Hi." };
  const cyclic: Record<string, unknown> = { value: 1 };
  cyclic["self"] = cyclic;
  const cycle = [
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "a", input: cyclic }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "a" }] },
  ];

  test.each([
    { name: "no target", input: [user], options: {}, code: "options/value", message: /openai-chat, /u },
    {
      name: "an unknown target",
      input: [user],
      options: { to: "yaml" },
      code: "format/unsupported",
      message: /openai-chat, /u,
    },
    {
      name: "an unknown source",
      input: [user],
      options: { from: "yaml", to: "anthropic" },
      code: "format/unsupported",
      message: /openai-chat, /u,
    },
    {
      name: "an unknown option",
      input: [user],
      options: { to: "anthropic", format: "gemini" },
      code: "options/unknown",
      message: /from, to, provider/u,
    },
    {
      name: "a provider of another format",
      input: [user],
      options: { to: "anthropic", provider: "mistral" },
      code: "options/value",
      message: /anthropic/u,
    },
    {
      name: "no messages",
      input: { prompt: "Hi." },
      options: { to: "anthropic" },
      code: "input/no-messages",
      message: /prompt/u,
    },
    {
      name: "a cyclic value",
      input: cycle,
      options: { from: "anthropic", to: "openai-chat" },
      code: "input/cyclic",
      message: /cyclic/u,
    },
    { name: "options that are none", input: [user], options: null, code: "options/value", message: /an object/u },
  ])("$name", ({ input, options, code, message }) => {
    const ask = () => convert(input, options as unknown as ConvertOptions); // what a caller without types may do
    expect(ask).toThrow(UndangleError);
    expect(ask).toThrow(message);
    expect(ask).toThrow(expect.objectContaining({ code }) as Error);
  });
});
