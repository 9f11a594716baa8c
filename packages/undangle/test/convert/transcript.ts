/**
 * What was said in a history, whatever its format: a line for each text and each call, a call with what became of it. It
 * reads the wire by itself, so that it can tell whether a conversion kept what it should.
 */
import { isRecord, listOf, recordOf, type Loose } from "../../src/testing/judge/loose.ts";

/** The formats that can be read. */
export type WireFormat =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "bedrock"
  | "ollama"
  | "ai-sdk"
  | "langchain";

/** The lines of a body or a bare array, in order; in one message texts come before calls. */
export function transcript(input: unknown, format: WireFormat): string[] {
  const key = { "openai-responses": "input", gemini: "contents" }[format as string] ?? "messages";
  const list = Array.isArray(input) ? listOf(input) : listOf(recordOf(input)[key]);
  const events = list.flatMap((one) => {
    const message = recordOf(one);
    return Array.isArray(message["parts"]) && format === "ai-sdk" ? stepsOf(message) : [speakers[format](message)];
  });
  return linesOfEvents(joined(events));
}

/** What the assistant says in one go is one event, however many messages it takes. */
function joined(events: readonly Event[]): readonly Event[] {
  const all: Event[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const isMore = event.role === "assistant" && last?.role === "assistant" && !event.own && !last.own;
    if (!isMore) all.push(event);
    else
      all[all.length - 1] = { ...last, texts: [...last.texts, ...event.texts], calls: [...last.calls, ...event.calls] };
  }
  return all;
}

function linesOfEvents(events: readonly Event[]): string[] {
  const rounds = roundsOf(events);
  return events.flatMap((event, index) => {
    const results = event.own ?? rounds[index] ?? [];
    const said = event.texts.flatMap((text) => linesOf(text).map((line) => `${event.role}: ${line}`));
    const called = event.calls.map((call) => {
      const byId = call.id === "" ? -1 : results.findIndex(({ id }) => id === call.id);
      const own =
        byId === -1 ? results.findIndex(({ id, name: answered }) => id === "" && answered === call.name) : byId;
      const [found] = results.splice(own === -1 ? 0 : own, 1);
      const name = call.name.replaceAll(/[^\w-]/g, "_");
      return `call ${name} ${canonical(call.text)} -> ${becameOf(found)}`;
    });
    return [...said, ...called.filter((line) => !line.startsWith("call unknown_tool "))]; // rebuilt for a lone result
  });
}

/** What became of a call: a notice, or a refusal, says that nothing did. */
function becameOf(result: Call | undefined): string {
  if (result === undefined || result.text.startsWith("Tool call ")) return "nothing";
  if (result.text === "{}") return ""; // an object without anything in it
  return result.text.includes('"userRejected":true') ? "nothing" : linesOf(result.text).join(" | ");
}

/** A UIMessage of an assistant holds all its steps, and each call its result. */
function stepsOf(message: Loose): Event[] {
  const role = message["role"] === "assistant" ? "assistant" : "user";
  if (message["role"] === "system") return [];
  const steps: Loose[][] = [[]];
  for (const part of listOf(message["parts"]).map(recordOf)) {
    if (part["type"] === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps.map((parts) => {
    const used = parts.filter(({ type }) => type === "dynamic-tool" || textOf(type).startsWith("tool-"));
    const mine = used.filter((part) => part["providerExecuted"] !== true);
    const calls = mine.map((part) => {
      const name = textOf(part["toolName"] ?? textOf(part["type"]).replace("tool-", ""));
      return { id: idOf(part["toolCallId"]), name, text: textOf(part["input"] ?? part["rawInput"]) };
    });
    const own = mine.flatMap((part): Call[] => {
      const { output, state, errorText } = part;
      if (!/^output-(?:available|error|denied)$/.test(textOf(state))) return [];
      return [
        {
          id: idOf(part["toolCallId"]),
          name: "",
          text: state === "output-denied" ? denied : textOf(output ?? errorText),
        },
      ];
    });
    const texts = parts.filter(({ type }) => type === "text").map(({ text }) => textOf(text));
    return { role, texts, calls, results: [], own };
  });
}

/** For each event the results of its round: a round ends where a call follows a result. */
function roundsOf(events: readonly Event[]): readonly Call[][] {
  let round: Call[] = [];
  return events.map(({ calls, results, own }) => {
    if (calls.length > 0 && own === undefined && round.length > 0) round = [];
    round.push(...results);
    return round;
  });
}

interface Call {
  readonly id: string;
  readonly name: string;
  /** The arguments of a call, the words of a result. */
  readonly text: string;
}

interface Event {
  readonly role: "user" | "assistant";
  readonly texts: readonly string[];
  readonly calls: readonly Call[];
  readonly results: readonly Call[];
  /** The results of its own calls, where they stand in the call itself. */
  readonly own?: Call[];
}

const nothing: Event = { role: "user", texts: [], calls: [], results: [] };

/** Lines that a conversion may add, or that are not part of the promise; `hello` is what the files of generators say. */
const incidental = /^(?:\[.*|\(continued\)|system-\d+|hello|)$/;

const linesOf = (text: string): string[] =>
  canonical(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !incidental.test(line));

/** JSON in one spelling, whatever else as it is. */
function canonical(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && Object.keys(value).join() === "_raw" ? String(value["_raw"]) : JSON.stringify(value);
  } catch {
    return text;
  }
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

const denied = '{"userRejected":true}';

const idOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The words of content that is text or a list of typed parts. */
function words(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return listOf(content).flatMap((part) => {
    const { type, text, refusal } = recordOf(part);
    if (type === "refusal") return [textOf(refusal)];
    return typeof text === "string" && /text/.test(textOf(type)) ? [text] : [];
  });
}

const speakers: Readonly<Record<WireFormat, (message: Loose) => Event>> = {
  "openai-chat": (message) => {
    const { role, content } = message;
    if (role === "system" || role === "developer") return nothing;
    const said = words(content);
    if (role === "tool" || role === "function") {
      return { ...nothing, results: [{ id: idOf(message["tool_call_id"]), name: "", text: said.join("\n") }] };
    }
    if (role !== "assistant") return { ...nothing, texts: said };
    const legacy = message["function_call"];
    const calls = [...listOf(message["tool_calls"]), ...(isRecord(legacy) ? [{ function: legacy }] : [])].map((one) => {
      const call = recordOf(one);
      const inner = recordOf(call["function"] ?? call["custom"]);
      return { id: idOf(call["id"]), name: textOf(inner["name"]), text: textOf(inner["arguments"] ?? inner["input"]) };
    });
    return { role: "assistant", texts: [...said, textOf(message["refusal"])], calls, results: [] };
  },
  "openai-responses": (item) => {
    const id = idOf(item["call_id"]);
    const type = textOf(item["type"]);
    if (type.endsWith("_output")) {
      const { output } = item;
      const said = Array.isArray(output) ? words(output).join("\n") : isRecord(output) ? "" : textOf(output);
      return { ...nothing, results: [{ id, name: "", text: said }] }; // an object is a screenshot
    }
    if (type === "computer_call") {
      const text = JSON.stringify({ action: item["action"] });
      return { ...nothing, role: "assistant", calls: [{ id, name: "computer", text }] };
    }
    if (type === "function_call" || type === "custom_tool_call") {
      const text = textOf(item["arguments"] ?? item["input"]);
      return { ...nothing, role: "assistant", calls: [{ id, name: textOf(item["name"]), text }] };
    }
    if (type !== "" && type !== "message") return nothing;
    if (item["role"] === "system" || item["role"] === "developer") return nothing;
    return { ...nothing, role: item["role"] === "assistant" ? "assistant" : "user", texts: words(item["content"]) };
  },
  anthropic: (message) => {
    if (message["role"] === "system") return nothing;
    const { content } = message;
    const blocks = Array.isArray(content) ? listOf(content).map(recordOf) : [{ type: "text", text: content }];
    const of = (type: string) => blocks.filter((block: Loose) => block["type"] === type);
    return {
      role: message["role"] === "assistant" ? "assistant" : "user",
      texts: of("text").map((block: Loose) => textOf(block["text"])),
      calls: of("tool_use").map((block: Loose) => {
        return { id: idOf(block["id"]), name: textOf(block["name"]), text: textOf(block["input"]) };
      }),
      results: of("tool_result").map((block: Loose) => {
        return { id: idOf(block["tool_use_id"]), name: "", text: words(block["content"]).join("\n") };
      }),
    };
  },
  gemini: (turn) => {
    const parts = listOf(turn["parts"]).map(recordOf);
    const held = (key: string, other: string) =>
      parts.map((part) => recordOf(part[key] ?? part[other])).filter((one) => "name" in one);
    return {
      role: turn["role"] === "model" ? "assistant" : "user",
      texts: parts.filter((part) => part["thought"] !== true).map((part) => textOf(part["text"])),
      calls: held("functionCall", "function_call").map((call) => {
        return { id: idOf(call["id"]), name: textOf(call["name"]), text: textOf(call["args"] ?? {}) };
      }),
      results: held("functionResponse", "function_response").map((result) => {
        const response = recordOf(result["response"]);
        const [only, ...more] = Object.entries(response);
        const [key, value] = only ?? ["", undefined];
        const isText = /^(?:result|output)$/.test(key) && typeof value === "string";
        const isWrapper = more.length === 0 && (isText || key === "error");
        return { id: idOf(result["id"]), name: "", text: textOf(isWrapper ? value : response) };
      }),
    };
  },
  bedrock: (message) => {
    if (message["role"] === "system") return nothing;
    const blocks = listOf(message["content"]).map(recordOf);
    const held = (key: string) => blocks.map((block) => recordOf(block[key])).filter((one) => "toolUseId" in one);
    return {
      role: message["role"] === "assistant" ? "assistant" : "user",
      texts: blocks.flatMap((block) => [
        textOf(block["text"]),
        textOf(recordOf(recordOf(block["guardContent"])["text"])["text"]),
        ...listOf(recordOf(block["citationsContent"])["content"]).map((cited) => textOf(recordOf(cited)["text"])),
      ]),
      calls: held("toolUse").map((use) => {
        return { id: idOf(use["toolUseId"]), name: textOf(use["name"]), text: textOf(use["input"]) };
      }),
      results: held("toolResult").map((result) => {
        const said = listOf(result["content"]).map((block) =>
          textOf(recordOf(block)["text"] ?? recordOf(block)["json"]),
        );
        return { id: idOf(result["toolUseId"]), name: "", text: said.join("\n") };
      }),
    };
  },
  ollama: (message) => {
    const { role, content } = message;
    if (role === "system") return nothing;
    if (role === "tool") {
      const name = textOf(message["tool_name"] ?? message["name"]);
      return { ...nothing, results: [{ id: idOf(message["tool_call_id"]), name, text: textOf(content) }] };
    }
    const calls = listOf(message["tool_calls"]).map((one) => {
      const call = recordOf(one);
      const inner = recordOf(call["function"]);
      return { id: idOf(call["id"]), name: textOf(inner["name"]), text: textOf(inner["arguments"]) };
    });
    return { role: role === "assistant" ? "assistant" : "user", texts: [textOf(content)], calls, results: [] };
  },
  "ai-sdk": (message) => {
    if (message["role"] === "system") return nothing;
    const { content } = message;
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(recordOf);
    const of = (type: string) => parts.filter((part: Loose) => part["type"] === type);
    return {
      role: message["role"] === "assistant" ? "assistant" : "user",
      texts: of("text").map((part: Loose) => textOf(part["text"])),
      calls: of("tool-call")
        .filter((part: Loose) => part["providerExecuted"] !== true)
        .map((part: Loose) => {
          return { id: idOf(part["toolCallId"]), name: textOf(part["toolName"]), text: textOf(part["input"]) };
        }),
      results:
        message["role"] === "assistant"
          ? []
          : of("tool-result").map((part: Loose) => {
              const output = recordOf(part["output"]);
              const said = output["type"] === "content" ? words(output["value"]).join("\n") : textOf(output["value"]);
              const text = output["type"] === "execution-denied" ? denied : said;
              return { id: idOf(part["toolCallId"]), name: "", text };
            }),
    };
  },
  langchain: (wire) => {
    const { message, type } = unpacked(wire);
    const { content } = message;
    if (type === "system") return nothing;
    const said = words(content);
    if (type === "tool") {
      return { ...nothing, results: [{ id: idOf(message["tool_call_id"]), name: "", text: said.join("\n") }] };
    }
    return { role: type === "ai" ? "assistant" : "user", texts: said, calls: langchainCalls(message), results: [] };
  },
};

/** A message of any form: an instance or plain, stored, or as a constructor would be called. */
function unpacked(wire: Loose): { readonly message: Loose; readonly type: string } {
  const { id, kwargs, data } = wire;
  if (Array.isArray(id) && isRecord(kwargs)) {
    const name = textOf(id.at(-1)).replace(/Message(?:Chunk)?$/, "");
    return { message: kwargs, type: name.toLowerCase() };
  }
  const type = textOf(wire["type"] ?? wire["role"]);
  const plain = { AIMessageChunk: "ai", assistant: "ai", user: "human" }[type] ?? type;
  return { message: isRecord(data) ? data : wire, type: plain };
}

/** Calls may stand in three places, and in several of them at once. */
function langchainCalls(message: Loose): readonly Call[] {
  const blocks = listOf(message["content"]).map(recordOf);
  const inBlocks = blocks.filter(({ type }) =>
    /^(?:tool_use|tool_call|function_call|functionCall)$/.test(textOf(type)),
  );
  const kwargs = recordOf(message["additional_kwargs"]);
  const given = [message["tool_calls"], message["invalid_tool_calls"], inBlocks, kwargs["tool_calls"]];
  const calls = given
    .flatMap((list) => listOf(list))
    .map((one): Call => {
      const call = recordOf(one);
      const inner = recordOf(call["function"] ?? call["functionCall"] ?? call);
      const input = inner["args"] ?? inner["input"] ?? inner["arguments"];
      return { id: idOf(call["call_id"] ?? call["id"]), name: textOf(inner["name"]), text: textOf(input) };
    });
  const isSame = (one: Call, other: Call): boolean =>
    one.id === "" || other.id === "" ? one.name === other.name && one.text === other.text : one.id === other.id;
  return calls.filter((call, index) => calls.findIndex((other) => isSame(call, other)) === index);
}
