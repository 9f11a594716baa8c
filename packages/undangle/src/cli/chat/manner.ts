import type { Language } from "#core";

import type { JsonFault } from "../json/find-json-error.ts";
import type { Paint } from "../terminal/palette.ts";
import { textsIn } from "../texts/choose-texts.ts";
import { chinese } from "./texts/chinese.ts";
import type { ChatTexts } from "./texts/chat-texts.ts";
import { english } from "./texts/english.ts";
import type { Voice } from "./open-chat.ts";
import type { Face } from "./view/face.ts";

/** The texts of a language. */
export const chatTextsIn = (language: Language): ChatTexts => (language === "zh" ? chinese : english);

/** How a chat speaks and looks; its language can be changed on the way. */
export interface Manner extends Voice {
  readonly by: string | undefined;
  setLanguage(language: Language): void;
  texts(): ChatTexts;
  face(columns: number): Face;
  explainJson(fault: JsonFault): string;
}

export interface MannerOptions {
  readonly language: Language;
  /** A person has asked for it: it does not only follow the locale. */
  readonly isAsked: boolean;
  readonly paint: Paint;
  /** Who decides. */
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
    face: (columns) => ({ texts: texts(), paint, columns }),
    explainJson: (fault) => textsIn(language).faults[fault],
  };
}
