import type { Fault, Limit } from "../card/edit/check-arguments.ts";
import type { Texts } from "./language.tsx";

const limitsEnglish: Readonly<Record<Limit, (bound: number) => string>> = {
  minimum: (bound) => `must be at least ${bound}`,
  maximum: (bound) => `must be at most ${bound}`,
  exclusiveMinimum: (bound) => `must be more than ${bound}`,
  exclusiveMaximum: (bound) => `must be less than ${bound}`,
  multipleOf: (bound) => `must be a multiple of ${bound}`,
  minLength: (bound) => `must have at least ${bound} characters`,
  maxLength: (bound) => `must have at most ${bound} characters`,
  minItems: (bound) => `must have at least ${bound} items`,
  maxItems: (bound) => `must have at most ${bound} items`,
};

const limitsChinese: Readonly<Record<Limit, (bound: number) => string>> = {
  minimum: (bound) => `至少为 ${bound}`,
  maximum: (bound) => `至多为 ${bound}`,
  exclusiveMinimum: (bound) => `必须大于 ${bound}`,
  exclusiveMaximum: (bound) => `必须小于 ${bound}`,
  multipleOf: (bound) => `必须是 ${bound} 的倍数`,
  minLength: (bound) => `至少 ${bound} 个字符`,
  maxLength: (bound) => `至多 ${bound} 个字符`,
  minItems: (bound) => `至少 ${bound} 项`,
  maxItems: (bound) => `至多 ${bound} 项`,
};

const typesChinese: Readonly<Record<string, string>> = {
  string: "文本",
  number: "数字",
  integer: "整数",
  boolean: "布尔值",
  object: "对象",
  array: "列表",
  null: "空值",
};

const typesEnglish: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

const listed = (values: readonly unknown[]): string =>
  values
    .slice(0, 12)
    .map((value) => JSON.stringify(value))
    .join(", ") + (values.length > 12 ? ", …" : "");

const english = (fault: Fault): string => {
  switch (fault.type) {
    case "missing":
      return "is required";
    case "unknown-key":
      return fault.isRefused ? "is not an argument of this tool" : "is not declared by the tool, which may ignore it";
    case "wrong-type":
      return `must be ${fault.expected.map((type) => typesEnglish[type] ?? type).join(" or ")}`;
    case "not-listed":
      return `must be one of ${listed(fault.allowed)}`;
    case "limit":
      return limitsEnglish[fault.limit](fault.bound);
    case "format":
      return fault.format === "date"
        ? "must be a day such as 2026-03-30"
        : "must be a time such as 2026-03-30T10:00:00Z";
    case "no-alternative":
      return "matches none of the permitted schemas";
  }
};

const chinese = (fault: Fault): string => {
  switch (fault.type) {
    case "missing":
      return "必须提供";
    case "unknown-key":
      return fault.isRefused ? "不是此工具的参数" : "工具没有声明它，可能会忽略";
    case "wrong-type":
      return `必须是${fault.expected.map((type) => typesChinese[type] ?? type).join("或")}`;
    case "not-listed":
      return `必须是其中之一：${listed(fault.allowed)}`;
    case "limit":
      return limitsChinese[fault.limit](fault.bound);
    case "format":
      return fault.format === "date" ? "必须是日期，例如 2026-03-30" : "必须是时间，例如 2026-03-30T10:00:00Z";
    case "no-alternative":
      return "不符合任何允许的形式";
  }
};

/** What is wrong with an argument. */
export const faultTexts: Texts<(fault: Fault) => string> = { en: english, zh: chinese };
