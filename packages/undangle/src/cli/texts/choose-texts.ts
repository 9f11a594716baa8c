import type { Language } from "#core";
import { chinese } from "./chinese.ts";
import { english } from "./english.ts";
import type { Texts } from "./texts.ts";

export const textsIn = (language: Language): Texts => (language === "zh" ? chinese : english);
