import type { Schema } from "./read-schema.ts";

/** What an argument is, told by its name, its format and its description. */
export type Aspect =
  | "formula"
  | "currency"
  | "zone"
  | "email"
  | "url"
  | "date"
  | "time"
  | "path"
  | "money"
  | "id"
  | "place"
  | "subject"
  | "query"
  | "text"
  | "person"
  | "other";

/** Names are matched as words of lower case with spaces between them. The first that fits holds. */
const names: readonly (readonly [Aspect, RegExp])[] = [
  ["formula", /\b(?:expression|formula|equation)\b|算式|表达式|公式/u],
  ["currency", /\bcurrency\b|币种|货币/u],
  ["zone", /\btime ?zone\b|\btz\b|时区/u],
  ["email", /\be ?mail\b|邮箱|邮件地址|电子邮件/u],
  ["url", /\b(?:url|uri|link|href|website)\b|网址|链接/u],
  ["date", /\b(?:date|day|deadline|due)\b|日期|哪天/u],
  ["time", /\b(?:time|hour)\b|时间|时刻/u],
  ["path", /\b(?:path|file|filename|dir|directory|folder)\b|文件|路径|目录/u],
  ["money", /\b(?:amount|price|sum|total|cost|budget|money)\b|金额|价格|总额|费用/u],
  ["id", /\b(?:ids?|identifier|number|no|nr|key|code|ref|reference)\b|编号|号码|序号|单号|号$/u],
  [
    "place",
    /\b(?:city|location|place|town|country|region|address|where|destination|origin)\b|城市|地点|地区|国家|地址/u,
  ],
  ["subject", /\b(?:subject|title|headline)\b|主题|标题/u],
  ["query", /\b(?:query|search|keywords?|term|question|topic|q)\b|关键词|关键字|问题|搜索/u],
  [
    "text",
    /\b(?:text|body|content|message|note|comment|description|prompt|summary|reason|task|todo|item|answer|result|reply|response)\b|内容|正文|消息|备注|说明|摘要|理由|答案|回答|结论|事项/u,
  ],
  [
    "person",
    /\b(?:to|recipient|payee|receiver|person|who|name|contact|assignee|passenger|guest|customer|user|from|sender)\b|收件人|收款人|对方|姓名|名字|联系人/u,
  ],
];

const formats: Readonly<Record<string, Aspect>> = {
  email: "email",
  uri: "url",
  url: "url",
  date: "date",
  "date-time": "date",
};

/** The aspect of an argument; the description is asked where the name says nothing. */
export function aspectOf(name: string, { format, description, title }: Schema): Aspect {
  const known = typeof format === "string" ? formats[format] : undefined;
  if (known !== undefined) return known;
  const said = typeof description === "string" ? description.slice(0, 60).toLowerCase() : "";
  for (const text of [spaced(name), typeof title === "string" ? spaced(title) : "", said]) {
    const found = names.find(([, pattern]) => pattern.test(text));
    if (found !== undefined) return found[0];
  }
  return "other";
}

/** `invoiceId` and `invoice_id` as "invoice id". */
export const spaced = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, " ")
    .replaceAll(/[_\-.]+/gu, " ")
    .toLowerCase();
