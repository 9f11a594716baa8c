import type { Language } from "#core";

import type { JsonFault } from "../json/find-json-error.ts";
import type { Paint } from "../terminal/palette.ts";
import { textsIn } from "../texts/choose-texts.ts";
import { chinese } from "./texts/chinese.ts";
import type { ChatTexts } from "./texts/chat-texts.ts";
import { english } from "./texts/english.ts";
import type { Face } from "./view/face.ts";

/** How a chat speaks and looks; its language can be changed on the way. */
export interface Manner {
  readonly by: string | undefined;
  language(): Language;
  setLanguage(language: Language): void;
  texts(): ChatTexts;
  face(columns: number): Face;
  explainJson(fault: JsonFault): string;
}

export interface MannerOptions {
  readonly language: Language;
  readonly paint: Paint;
  /** Who decides. */
  readonly by: string | undefined;
}

export function createManner({ paint, by, ...options }: MannerOptions): Manner {
  let { language } = options;
  const texts = (): ChatTexts => (language === "zh" ? chinese : english);
  return {
    by,
    language: () => language,
    setLanguage(next) {
      language = next;
    },
    texts,
    face: (columns) => ({ texts: texts(), paint, columns }),
    explainJson: (fault) => textsIn(language).faults[fault],
  };
}
