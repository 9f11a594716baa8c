/** The inputs that can be tried with one click. Their titles are texts of the doctor. */
export interface Sample {
  readonly text: string;
  readonly provider?: string;
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

const call = (id: string, name: string, args: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

const tool = (name: string) => ({ name, input_schema: { type: "object" } });

export const samples = {
  cancelled: {
    text: json({
      model: "gpt-4.1",
      messages: [
        { role: "system", content: "You help travellers of a small agency." },
        { role: "user", content: "Find a flight from Vienna to Lisbon on Friday." },
        {
          role: "assistant",
          content: "I am searching for flights.",
          tool_calls: [
            call("call_Fq81", "search_flights", { from: "VIE", to: "LIS", day: "2026-11-20" }),
            call("call_Fq82", "get_weather", { city: "Lisbon" }),
          ],
        },
        { role: "tool", tool_call_id: "call_Fq82", content: "19 °C, light rain" },
        { role: "user", content: "Wait, Saturday is better." },
      ],
    }),
  },
  interrupted: {
    text: json({
      model: "claude-sonnet-4-5",
      max_tokens: 2048,
      tools: [tool("read_file"), tool("run_sql")],
      messages: [
        { role: "user", content: "Rename the table `orders` to `purchases`." },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I will look at the schema, then write the migration." },
            { type: "tool_use", id: "toolu_01K2", name: "read_file", input: { path: "db/schema.sql" } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_01K2", content: "create table orders (id bigint);" }],
        },
        {
          role: "assistant",
          content: [
            {
              type: "tool_use",
              id: "toolu_01K3",
              name: "run_sql",
              input: { sql: "alter table orders rename to purchases" },
            },
          ],
        },
      ],
    }),
  },
  trimmed: {
    text: json([
      { role: "tool", tool_call_id: "call_inv7", content: '{"invoice":"2026-118","open":true}' },
      { role: "assistant", content: "Invoice 2026-118 is still open." },
      { role: "user", content: "Send a reminder." },
      { role: "assistant", content: null, tool_calls: [call("call_rem1", "send_mail", { template: "reminder" })] },
      { role: "user", content: "In German, please." },
      { role: "tool", tool_call_id: "call_rem1", content: "sent" },
    ]),
  },
  responses: {
    text: json({
      model: "gpt-4.1",
      input: [
        { role: "user", content: "Which of our servers run an old kernel?" },
        { type: "function_call", id: "fc_1", call_id: "call_k1", name: "list_servers", arguments: "{}" },
        { type: "function_call_output", call_id: "call_k1", output: "web-1, web-2, db-1" },
        { type: "function_call", id: "fc_2", call_id: "call_k2", name: "run", arguments: '{"command":"uname -r"}' },
        { role: "user", content: "Only web-1 is enough." },
      ],
    }),
  },
  gemini: {
    text: json({
      contents: [
        { role: "user", parts: [{ text: "Compare the prices of both suppliers." }] },
        {
          role: "model",
          parts: [
            { functionCall: { name: "get_price", args: { supplier: "north" } } },
            { functionCall: { name: "get_price", args: { supplier: "south" } } },
          ],
        },
        { role: "user", parts: [{ functionResponse: { name: "get_price", response: { price: 41.5 } } }] },
      ],
    }),
  },
  bedrock: {
    text: json({
      modelId: "anthropic.claude-sonnet-4-5-20250929-v1:0",
      messages: [
        { role: "user", content: [{ text: "Restart the staging environment." }] },
        {
          role: "assistant",
          content: [{ toolUse: { toolUseId: "tooluse_9f", name: "restart", input: { environment: "staging" } } }],
        },
        { role: "user", content: [{ text: "Wait, a test is running." }] },
      ],
    }),
  },
  mistral: {
    provider: "mistral",
    text: json({
      model: "mistral-large-latest",
      messages: [
        { role: "user", content: "How many parcels are late?" },
        {
          role: "assistant",
          content: "",
          tool_calls: [call("call_parcels_2026_11", "count_parcels", { state: "late" })],
        },
        { role: "tool", tool_call_id: "call_parcels_2026_11", name: "count_parcels", content: "17" },
        { role: "assistant", content: "17 parcels are late." },
        { role: "user", content: "And yesterday?" },
      ],
    }),
  },
  deepseek: {
    provider: "deepseek",
    text: json({
      model: "deepseek-reasoner",
      thinking: { type: "enabled" },
      messages: [
        { role: "user", content: "查一下订单 118 的状态。" },
        { role: "assistant", content: "", tool_calls: [call("call_00_a", "get_order", { id: 118 })] },
        { role: "tool", tool_call_id: "call_00_a", content: "已发货" },
        { role: "function", name: "get_order", content: "已发货" },
        { role: "user", content: "预计什么时候到？" },
      ],
    }),
  },
  aiSdk: {
    text: json([
      { role: "user", content: "What is on receipt 41?" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I will read it." },
          { type: "tool-call", toolCallId: "call_ocr", toolName: "read_image", input: { language: "en" } },
        ],
      },
      { role: "user", content: "It is in Portuguese." },
    ]),
  },
  langchain: {
    text: json([
      { type: "human", data: { content: "Book a table for four." } },
      {
        type: "ai",
        data: {
          content: "",
          tool_calls: [{ id: "call_t1", name: "book_table", args: { people: 4 }, type: "tool_call" }],
        },
      },
      { type: "human", data: { content: "For five, sorry." } },
    ]),
  },
  log: {
    text: [
      "2026-11-17T21:04:11Z INFO  agent: request 81 to api.openai.com",
      `2026-11-17T21:04:11Z DEBUG http: body=${JSON.stringify({
        model: "gpt-4.1-mini",
        messages: [
          { role: "user", content: "Summarise the ticket." },
          { role: "assistant", content: "The customer cannot log in." },
        ],
      })}`,
      "2026-11-17T21:04:13Z INFO  agent: 200 in 1840 ms",
      "2026-11-17T21:05:02Z INFO  agent: request 82 to api.openai.com",
      `2026-11-17T21:05:02Z DEBUG http: body=${JSON.stringify({
        model: "gpt-4.1-mini",
        messages: [
          { role: "user", content: "Reset the password of the customer." },
          { role: "assistant", content: null, tool_calls: [call("call_rp", "reset_password", { user: 4411 })] },
          { role: "user", content: "The other customer!" },
        ],
      })}`,
      "2026-11-17T21:05:03Z ERROR agent: 400 An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_rp",
    ].join("\n"),
  },
  stream: {
    text: [
      {
        role: "assistant",
        content: "Looking it up.",
      },
      { tool_calls: [{ index: 0, id: "call_w1", type: "function", function: { name: "get_weather", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":"Por' } }] },
      { tool_calls: [{ index: 0, id: "call_w2", type: "function", function: { name: "get_weather", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":"Lisbon"}' } }] },
    ]
      .map(
        (delta) =>
          `data: ${JSON.stringify({ id: "chatcmpl-7", object: "chat.completion.chunk", model: "gpt-4.1", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
      )
      .join(""),
  },
  errorText: {
    text: "BadRequestError: 400 messages.14: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01VbZq. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  },
  valid: {
    text: json({
      model: "claude-sonnet-4-5",
      max_tokens: 1024,
      tools: [tool("get_time")],
      messages: [
        { role: "user", content: "What time is it in Tokyo?" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_t1", name: "get_time", input: { zone: "Asia/Tokyo" } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_t1", content: "21:40" }] },
        { role: "assistant", content: "It is 21:40 in Tokyo." },
      ],
    }),
  },
} as const satisfies Readonly<Record<string, Sample>>;

export type SampleName = keyof typeof samples;

export const sampleNames = Object.keys(samples) as readonly SampleName[];
