import { anomaliesChinese } from "#core";
import type { Anomaly, Language } from "#core";

/** An anomaly of a stream in a language. */
export const anomalyText = ({ kind, message }: Pick<Anomaly, "kind" | "message">, language: Language): string =>
  language === "zh" ? anomaliesChinese[kind] : message;
