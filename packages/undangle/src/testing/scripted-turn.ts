import { isRecord, wrapRaw } from "#core";

import type { FaultName } from "./faults/faults.ts";
import type { ThoughtStyle } from "./play/chat-thoughts.ts";

/** A turn without a wire format. The server writes it in the requested format. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  /**
   * The provider's proof of its reasoning: the signature of Anthropic and Bedrock, the encrypted content of OpenAI's
   * Responses, or Gemini's thought signature on the first call or after the text. Other formats have none.
   */
  readonly seal?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Left out, it follows from the calls. */
  readonly finish?: "stop" | "tool_calls" | "length" | "content_filter";
  /** The usage in the form of the format. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** What goes wrong on the way, in this order. */
  readonly faults?: readonly FaultName[];
  /** Responds with an error of the provider instead. */
  readonly error?: {
    readonly status: number;
    readonly message: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Milliseconds before the response starts. */
  readonly delay?: number;
  /** Milliseconds between two writes of a stream. */
  readonly pace?: number;
}

export interface ScriptedCall {
  /** Left out, the server makes one, in formats that have ids. */
  readonly id?: string;
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The raw argument text instead, for truncated or malformed arguments. */
  readonly raw?: string;
}

/** A turn with all defaults. */
export interface Turn {
  readonly text: string;
  readonly reasoning: string;
  /** The reasoning style of the chat format. */
  readonly style: ThoughtStyle;
  readonly seal: string | undefined;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    /** Their text, and whether the script gives it. */
    readonly raw: string;
    readonly isRaw: boolean;
  }[];
  readonly finish: "stop" | "tool_calls" | "length" | "content_filter";
  readonly usage: Readonly<Record<string, unknown>> | undefined;
  /** The number of the turn, which makes ids differ. */
  readonly serial: number;
  readonly model: string;
}

/** Fills in what a script leaves out. */
export function completeTurn(turn: ScriptedTurn, serial: number, model: string): Turn {
  const calls = (turn.calls ?? []).map((call, i) => {
    const { id, name, arguments: args, raw } = call;
    return {
      id: id ?? `call_${serial}_${i}`,
      name,
      arguments: args ?? (raw === undefined ? {} : argumentsIn(raw)),
      raw: raw ?? textOf(call),
      isRaw: raw !== undefined,
    };
  });
  return {
    text: turn.text ?? "",
    reasoning: turn.reasoning ?? "",
    style: "reasoning_content",
    seal: turn.seal,
    calls,
    finish: turn.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
    usage: turn.usage,
    serial,
    model,
  };
}

/** Texts of arguments by their calls: a script that is played in a loop has to write them only once. */
const texts = new WeakMap<ScriptedCall, string>();

function textOf(call: ScriptedCall): string {
  const text = texts.get(call) ?? JSON.stringify(call.arguments ?? {});
  texts.set(call, text);
  return text;
}

/** What a format that sends arguments as a value makes of their text. */
function argumentsIn(raw: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(raw);
    return isRecord(value) ? value : wrapRaw(raw);
  } catch {
    return wrapRaw(raw); // such a format has no place for a text
  }
}

/** A text in chunks of a few characters, as models send it; no character is split. */
export function piecesOf(text: string, size = 8): readonly string[] {
  const pieces: string[] = [];
  if (/[\ud800-\udfff]/.test(text)) {
    const signs = Array.from(text);
    for (let at = 0; at < signs.length; at += size) pieces.push(signs.slice(at, at + size).join(""));
  } else for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}
