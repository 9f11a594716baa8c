import type { Io, Output } from "../io.ts";
import { wantsColor } from "./palette.ts";
import { harmless } from "./printable.ts";

/**
 * An output that no foreign text can use to control a terminal. Strings are composed by this program and always pass
 * `harmless`, because a log file may be read at a terminal later. Bytes are documents and replies, which reach a pipe
 * or a file unchanged.
 */
function guardOutput(output: Output, { colors }: { readonly colors: boolean }): Output {
  const decoder = new TextDecoder(); // a character may be split over two chunks
  const safe = (text: string): string => harmless(text, { colors });
  return {
    isTTY: output.isTTY,
    get columns() {
      return output.columns;
    },
    write(data) {
      if (typeof data === "string") return output.write(safe(data));
      return output.write(output.isTTY ? safe(decoder.decode(data, { stream: true })) : data);
    },
    replaceLine: (text) => output.replaceLine(safe(text)),
  };
}

/** The same environment with guarded outputs. */
export function guardIo(io: Io, { refused }: { readonly refused: boolean }): Io {
  const guarded = (output: Output): Output =>
    guardOutput(output, { colors: wantsColor(io.env, { isTTY: output.isTTY, refused }) });
  return { ...io, stdout: guarded(io.stdout), stderr: guarded(io.stderr) };
}
