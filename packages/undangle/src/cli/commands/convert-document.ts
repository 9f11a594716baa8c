import type { Buffer } from "node:buffer";
import { convert } from "#codecs";
import type { Converted, Format } from "#codecs";
import { printLike, replaceAt } from "#report";
import { encodeText } from "../input/decode-text.ts";
import type { Fault, Opened } from "../input/open-document.ts";
import type { Document } from "../input/read-documents.ts";
import { harmlessJson } from "../terminal/printable.ts";
import type { Options } from "../option-table.ts";
import type { Texts } from "../texts/texts.ts";
import { ask, convertOptions, isFault } from "./library.ts";

export interface ConvertedDocument extends Converted {
  readonly opened: Opened;
  /** The whole document around the history. */
  readonly root: unknown;
  /** The bytes to write; the input bytes if nothing changed. */
  bytes(): Iterable<Buffer>;
}

/** Converts the value inside a document. */
export function convertDocument(
  document: Document,
  opened: Opened,
  { to, options, texts }: { readonly to: Format; readonly options: Options; readonly texts: Texts },
): ConvertedDocument | Fault {
  const { decoded, root, path, input } = opened;
  const own = { ...texts, tryFormat: texts.tryFrom };
  const converted = ask(opened, own, (value) => convert(value, convertOptions(options, to)));
  if (isFault(converted)) return converted;
  const changed = converted.output !== input;
  const after = changed ? replaceAt(root, path, converted.output) : root;
  const bytes = (): Iterable<Buffer> =>
    changed ? encodeText(printLike(decoded.text, root, after).map(harmlessJson), decoded) : [document.bytes];
  return { ...converted, opened, root: after, bytes };
}
