import { latinWords, stemOf } from "../wishes/words.ts";
import { aspectOf, spaced } from "./aspect.ts";
import type { Aspect } from "./aspect.ts";
import type { Schema } from "./read-schema.ts";

/** An argument that is to be found. */
export interface Parameter {
  readonly name: string;
  readonly schema: Schema;
  readonly aspect: Aspect;
  /** By what a person may call it, in the order in which they are looked for. */
  readonly labels: readonly string[];
  readonly stems: ReadonlySet<string>;
}

export function parameterOf(name: string, schema: Schema): Parameter {
  const aspect = aspectOf(name, schema);
  const { description, title } = schema;
  const short = [title, description].filter((text) => typeof text === "string" && /^\p{Script=Han}{2,6}$/u.test(text));
  return {
    name,
    schema,
    aspect,
    labels: [...new Set([spaced(name), ...short.map(String), ...(chinese[aspect] ?? [])])],
    stems: new Set(latinWords(name).map(stemOf)),
  };
}

const chinese: Readonly<Partial<Record<Aspect, readonly string[]>>> = {
  subject: ["主题", "标题"],
  text: ["内容", "正文"],
  id: ["编号"],
  person: ["收件人", "收款人", "姓名", "名字"],
  place: ["城市", "地点"],
  date: ["日期"],
  query: ["关键词"],
  money: ["金额"],
};
