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
  const words = latinWords(name).map(stemOf);
  const { description, title } = schema;
  const short = [title, description].filter((text) => typeof text === "string" && /^\p{Script=Han}{2,6}$/u.test(text));
  return {
    name,
    schema,
    aspect,
    labels: [
      ...new Set([spaced(name), ...short.map(String), ...(chinese[aspect] ?? []), ...words.flatMap(chineseFor)]),
    ],
    stems: new Set(words),
  };
}

/** Where something comes from, or where it goes: of two arguments of one kind, the words before a value tell which is meant. */
export type Role = "from" | "to";

export function roleOf(name: string): Role | undefined {
  const words = latinWords(name);
  if (words.some((word) => ["from", "source", "base", "origin", "src", "departure"].includes(word))) return "from";
  return words.some((word) => ["to", "target", "dest", "destination", "into", "arrival"].includes(word))
    ? "to"
    : undefined;
}

/** Where the words before a place in a text lead. */
export function roleBefore(text: string, at: number): Role | undefined {
  const before = text.slice(Math.max(0, at - 12), at);
  if (/\b(?:from|out of)\s*$|[从由]\s*$/iu.test(before)) return "from";
  return /\b(?:to|into|in)\s*$|[到成为往]\s*$|[换兑]\s*$/iu.test(before) ? "to" : undefined;
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

const chineseFor = (stem: string): readonly string[] => chineseByStem.get(stem) ?? [];

/** What arguments of one name are called, or counted in. */
const chineseByStem: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ["attendee participant invitee", "参加人 参会人 与会人 参与人 参加者 参与者 出席人"],
      ["passenger traveller", "乘客 旅客 乘机人"],
      ["restaurant", "餐厅 饭店"],
      ["guest people person party", "人 位"],
      ["minute", "分钟"],
      ["hour", "小时 个小时"],
      ["day", "天"],
      ["night", "晚"],
      ["week", "周 星期"],
      ["brightness", "亮度"],
      ["temperature degree", "温度 度"],
      ["duration", "时长"],
      ["quantity count", "数量"],
      ["phone", "电话 手机号"],
      ["address street", "地址"],
      ["room", "房间"],
      ["tag label", "标签"],
    ] as const
  ).flatMap(([names, labels]) => names.split(" ").map((name) => [stemOf(name), labels.split(" ")] as const)),
);
