import type { FaultName } from "./faults/faults.ts";

/** One answer of the model, in no format: the server writes it in the format that it was asked in. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Left out, it follows from the calls. */
  readonly finish?: "stop" | "tool_calls" | "length" | "content_filter";
  /** What goes wrong on the way, in this order. */
  readonly faults?: readonly FaultName[];
  /** Answers with an error of the provider instead. */
  readonly error?: {
    readonly status: number;
    readonly message: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Milliseconds before the answer begins. */
  readonly delay?: number;
  /** Milliseconds between two writes of a stream. */
  readonly pace?: number;
}

export interface ScriptedCall {
  /** Left out, the server makes one, in formats that have ids. */
  readonly id?: string;
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A turn with everything said. */
export interface Turn {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  }[];
  readonly finish: "stop" | "tool_calls" | "length" | "content_filter";
  /** The number of the answer: it makes ids differ. */
  readonly serial: number;
  readonly model: string;
}

/** Fills in what a script leaves out. */
export function completeTurn(turn: ScriptedTurn, serial: number, model: string): Turn {
  const calls = (turn.calls ?? []).map(({ id, name, arguments: args }, i) => ({
    id: id ?? `call_${serial}_${i}`,
    name,
    arguments: args ?? {},
  }));
  return {
    text: turn.text ?? "",
    reasoning: turn.reasoning ?? "",
    calls,
    finish: turn.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
    serial,
    model,
  };
}

/** A text in pieces of a few characters, as models give it; no character is cut in two. */
export function piecesOf(text: string, size = 8): readonly string[] {
  const signs = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < signs.length; at += size) pieces.push(signs.slice(at, at + size).join(""));
  return pieces;
}
