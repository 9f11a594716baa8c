import type { Language } from "#core";
import type { RunMode } from "#engine";
import type { JsonFault } from "#report";

import type { Paint } from "../terminal/palette.ts";
import { textsIn } from "../texts/choose-texts.ts";
import { chinese } from "./texts/chinese.ts";
import type { ChatTexts } from "./texts/chat-texts.ts";
import { english } from "./texts/english.ts";
import type { Voice } from "./open-chat.ts";
import type { Face } from "./view/face.ts";

export const chatTextsIn = (language: Language): ChatTexts => (language === "zh" ? chinese : english);

/** The language and look of a chat, and the mode of its messages. The user can change the language and the mode. */
export interface Manner extends Voice {
  readonly by: string | undefined;
  setLanguage(language: Language): void;
  /** Undefined if the thread and its agent decide. */
  mode(): RunMode | undefined;
  setMode(mode: RunMode): void;
  texts(): ChatTexts;
  face(columns: number, rows?: number): Face;
  explainJson(fault: JsonFault): string;
}

export interface MannerOptions {
  readonly language: Language;
  /** True if the user chose the language, instead of the locale. */
  readonly isAsked: boolean;
  readonly paint: Paint;
  readonly mode?: RunMode | undefined;
  /** The name for decisions. */
  readonly by: string | undefined;
}

export function createManner({ paint, by, ...options }: MannerOptions): Manner {
  let { language, isAsked, mode } = options;
  const texts = (): ChatTexts => chatTextsIn(language);
  return {
    by,
    language: () => language,
    isAsked: () => isAsked,
    setLanguage(next) {
      [language, isAsked] = [next, true];
    },
    mode: () => mode,
    setMode(next) {
      mode = next;
    },
    texts,
    face: (columns, rows = Infinity) => ({ texts: texts(), paint, columns, rows }),
    explainJson: (fault) => textsIn(language).faults[fault],
  };
}
