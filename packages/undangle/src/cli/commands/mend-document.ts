import type { Buffer } from "node:buffer";
import { repair } from "#codecs";
import type { Format } from "#codecs";
import type { Edit, Problem } from "#core";
import { printLike, replaceAt } from "#report";
import { encodeText } from "../input/decode-text.ts";
import type { Fault, Opened } from "../input/open-document.ts";
import type { Document } from "../input/read-documents.ts";
import type { Options } from "../option-table.ts";
import type { Texts } from "../texts/texts.ts";
import { ask, isFault, repairOptions } from "./library.ts";

export interface Mended {
  readonly opened: Opened;
  readonly changed: boolean;
  /** The repaired value, and the whole document around it. */
  readonly output: unknown;
  readonly root: unknown;
  readonly edits: readonly Edit[];
  /** The remaining problems. */
  readonly problems: readonly Problem[];
  readonly format: Format;
  /** The bytes to write; the input bytes if nothing changed. */
  bytes(): Iterable<Buffer>;
}

/** Repairs the value inside a document. */
export function mendDocument(
  document: Document,
  opened: Opened,
  { options, texts }: { readonly options: Options; readonly texts: Texts },
): Mended | Fault {
  const { decoded, root, path } = opened;
  const repaired = ask(opened, texts, (input) => repair(input, repairOptions(options)));
  if (isFault(repaired)) return repaired;
  const { output, edits, problems, format } = repaired;
  const changed = output !== opened.input;
  const mended = changed ? replaceAt(root, path, output) : root;
  const bytes = (): Iterable<Buffer> =>
    changed ? encodeText(printLike(decoded.text, root, mended), decoded) : [document.bytes];
  return { opened, changed, output, root: mended, edits, problems, format, bytes };
}
