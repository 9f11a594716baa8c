import { piecesOf } from "../scripted-turn.ts";
import type { Turn } from "../scripted-turn.ts";
import { playedAs } from "./played.ts";
import type { Frame, Player, Wire } from "./played.ts";

/** Writes turns as OpenAI Responses. */
export const playResponses: Player = {
  stream(turn) {
    const frames: Frame[] = [];
    const send = (type: string, rest: Wire): void =>
      void frames.push({ event: type, data: { type, sequence_number: frames.length, ...rest } });
    const started = { ...responseOf(turn), status: "in_progress", output: [], usage: null };
    send("response.created", { response: started });
    send("response.in_progress", { response: started });
    itemsOf(turn).forEach((item, output_index) => playItem(item, output_index, send));
    const isCut = turn.finish === "length" || turn.finish === "content_filter";
    send(isCut ? "response.incomplete" : "response.completed", { response: responseOf(turn) });
    return playedAs(frames, "");
  },
  body: responseOf,
};

type Send = (type: string, rest: Wire) => void;

function playItem(item: Wire, output_index: number, send: Send): void {
  const { type, id: item_id } = item;
  if (type === "function_call") {
    send("response.output_item.added", { output_index, item: { ...item, arguments: "", status: "in_progress" } });
    const args = String(item["arguments"]);
    for (const delta of piecesOf(args)) {
      send("response.function_call_arguments.delta", { item_id, output_index, delta });
    }
    send("response.function_call_arguments.done", { item_id, output_index, arguments: args });
  } else if (type === "message") {
    const text = String((item["content"] as readonly Wire[])[0]?.["text"]); // created below
    const part = { type: "output_text", text: "", annotations: [] };
    const place = { item_id, output_index, content_index: 0 };
    send("response.output_item.added", { output_index, item: { ...item, content: [], status: "in_progress" } });
    send("response.content_part.added", { ...place, part });
    for (const delta of piecesOf(text)) send("response.output_text.delta", { ...place, delta });
    send("response.output_text.done", { ...place, text });
    send("response.content_part.done", { ...place, part: { ...part, text } });
  } else {
    const place = { item_id, output_index, summary_index: 0 };
    const [shown] = item["summary"] as readonly Wire[]; // created below
    send("response.output_item.added", { output_index, item: { ...item, summary: [] } });
    if (shown !== undefined) {
      const text = String(shown["text"]);
      send("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } });
      for (const delta of piecesOf(text)) send("response.reasoning_summary_text.delta", { ...place, delta });
      send("response.reasoning_summary_text.done", { ...place, text });
      send("response.reasoning_summary_part.done", { ...place, part: { type: "summary_text", text } });
    }
  }
  send("response.output_item.done", { output_index, item });
}

function itemsOf({ serial, text, reasoning, seal, calls }: Turn): Wire[] {
  const items: Wire[] = [];
  if (reasoning !== "" || seal !== undefined) {
    const summary = reasoning === "" ? [] : [{ type: "summary_text", text: reasoning }];
    const encrypted = seal === undefined ? {} : { encrypted_content: seal };
    items.push({ type: "reasoning", id: `rs_${serial}`, summary, ...encrypted });
  }
  if (text !== "") {
    const content = [{ type: "output_text", text, annotations: [] }];
    items.push({ type: "message", id: `msg_${serial}`, status: "completed", role: "assistant", content });
  }
  calls.forEach(({ id, name, raw }, i) => {
    const call = { call_id: id, name, arguments: raw, status: "completed" };
    items.push({ type: "function_call", id: `fc_${serial}_${i}`, ...call });
  });
  return items;
}

function responseOf(turn: Turn): Wire {
  const isCut = turn.finish === "length" || turn.finish === "content_filter";
  const reason = turn.finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: `resp_${turn.serial}`,
    object: "response",
    created_at: 1_700_000_000 + turn.serial,
    model: turn.model,
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason } : null,
    error: null,
    instructions: null,
    metadata: {},
    output: itemsOf(turn),
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    temperature: 1,
    top_p: 1,
    usage: turn.usage ?? {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 30,
    },
  };
}
