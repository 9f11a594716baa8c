import type { Language } from "#core";

import type { JsonFault } from "../json/find-json-error.ts";
import type { Paint } from "../terminal/palette.ts";
import { textsIn } from "../texts/choose-texts.ts";
import { chinese } from "./texts/chinese.ts";
import type { ChatTexts } from "./texts/chat-texts.ts";
import { english } from "./texts/english.ts";
import type { Voice } from "./open-chat.ts";
import type { Face } from "./view/face.ts";

export const chatTextsIn = (language: Language): ChatTexts => (language === "zh" ? chinese : english);

/** The language and look of a chat. The user can change the language. */
export interface Manner extends Voice {
  readonly by: string | undefined;
  setLanguage(language: Language): void;
  texts(): ChatTexts;
  face(columns: number, rows?: number): Face;
  explainJson(fault: JsonFault): string;
}

export interface MannerOptions {
  readonly language: Language;
  /** True if the user chose the language, instead of the locale. */
  readonly isAsked: boolean;
  readonly paint: Paint;
  /** The name for decisions. */
  readonly by: string | undefined;
}

export function createManner({ paint, by, ...options }: MannerOptions): Manner {
  let { language, isAsked } = options;
  const texts = (): ChatTexts => chatTextsIn(language);
  return {
    by,
    language: () => language,
    isAsked: () => isAsked,
    setLanguage(next) {
      [language, isAsked] = [next, true];
    },
    texts,
    face: (columns, rows = Infinity) => ({ texts: texts(), paint, columns, rows }),
    explainJson: (fault) => textsIn(language).faults[fault],
  };
}
