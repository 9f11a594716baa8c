/** Words of both languages for one thing: a tool or an argument named by one of them matches a message that uses another. */
const synonyms: readonly (readonly string[])[] = [
  ["time", "clock", "date", "时间", "几点", "日期", "几号"],
  ["mail", "email", "inbox", "邮件", "邮箱"],
  ["read", "show", "check", "open", "读", "看"],
  ["edit", "replace", "change", "修改", "替换", "换成", "改成", "改为"],
  ["glob", "*", "文件名"],
  ["pay", "transfer", "付", "支付", "转账", "汇款"],
  ["delete", "remove", "clear", "删", "清空"],
  ["invoice", "bill", "发票", "账单"],
  ["note", "remember", "笔记", "记下", "记住"],
  ["list", "ls", "all", "列出", "所有", "哪些"],
  ["add", "create", "new", "write", "添加", "新建", "创建", "写"],
  ["weather", "forecast", "天气", "气温"],
  ["search", "find", "query", "grep", "搜索", "查找", "查询"],
  ["amount", "price", "total", "euro", "dollar", "€", "$", "¥", "元", "欧元", "块", "金额"],
];

const fillers =
  "a an the my your me you i it is are be do does of to in on at for from with by and or then that this please can could would get give tell let want need what which who how current any as has have its no not";
const ignored = new Set(fillers.split(" "));

/** The topics of a text: its words without endings, pairs of Chinese characters, and their synonyms. */
export function topicsOf(text: string): ReadonlySet<string> {
  const lower = text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").toLowerCase();
  const words = (lower.match(/\p{Script=Latin}+/gu) ?? [])
    .map((word) => word.replace(/^get(?=\w{3})/u, "")) // `gettime`
    .filter((word) => !ignored.has(word))
    .map(stem);
  const pairs = Array.from(lower.matchAll(/(?=(\p{Script=Han}{2}))/gu), ([, pair = ""]) => pair);
  const shared = synonyms.flatMap((group, i) =>
    group.some((word) => (/^[a-z]/u.test(word) ? words.includes(stem(word)) : lower.includes(word))) ? [`#${i}`] : [],
  );
  return new Set([...words, ...pairs, ...shared]);
}

/** Words near the value of an argument in a message: those of its name and description, and their synonyms. */
export function labelsOf(name: string, description: unknown): readonly string[] {
  const topics = [...topicsOf(`${name} ${typeof description === "string" ? description : ""}`)];
  return topics.flatMap((topic) => (topic.startsWith("#") ? (synonyms[Number(topic.slice(1))] ?? []) : [topic]));
}

const stem = (word: string): string => (word.length > 3 ? word.replace(/(?:ing|es|ed|s|e)$/u, "") : word);
