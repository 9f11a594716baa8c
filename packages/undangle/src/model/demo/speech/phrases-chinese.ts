import type { Phrases } from "./phrases.ts";

const code = (name: string): string => ` \`${name}\` `;

const list = (names: readonly string[], last = "和"): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join("、")}${last}${names.at(-1) ?? ""}`;

/** Each name once, and how often it comes. */
function codes(names: readonly string[], last?: string): string {
  const each = [...new Set(names)].map((name) => {
    const count = names.filter((other) => other === name).length;
    return count > 1 ? `${code(name)}${times(count)}` : code(name);
  });
  return list(each, last);
}

const times = (count: number): string => `× ${count} `;

/** Spaces stand between Chinese and code, and not beside Chinese punctuation or at the ends. */
const tidy = (text: string): string =>
  text
    .replaceAll(/ *([，。：；、（）“”！？]) */gu, "$1")
    .replaceAll(/ {2,}/gu, " ")
    .trim();

/** What the demo model says in Chinese. */
export const chinesePhrases: Phrases = {
  space: "",
  hello: "你好！",
  whoIAm: (who) =>
    `${who === undefined ? "我是 Undangle 的演示模型" : `我是${/^\p{Script=Han}/u.test(who) ? who : ` ${who}`}，目前由 Undangle 的演示模型扮演`}：离线运行，不需要密钥，只听得懂简单的请求。`,
  tools: (lines, more) => `我可以使用：\n${lines.join("\n")}${more > 0 ? `\n- 以及另外 ${more} 个` : ""}`,
  tool: (name, description) => `- \`${name}\`${description === "" ? "" : `：${description}`}`,
  noTools:
    "这里没有可用的工具。给智能体加上工具（`tools: [tool({ … })]`），我就会调用它们；换上真正的模型，就能得到真正的回答。",
  noToolFits: (gist) => `我没有适合“${gist}”的工具。`,
  youSaid: (gist) => `你说的是：“${gist}”。`,
  onlyTwoLanguages: "我只懂英文和中文，请用其中一种说。",
  unmet: (parts) => `没有工具可以做${parts.map((text) => `“${text}”`).join("、")}，所以我没有做。`,
  recalled: (name, text) => tidy(`刚才${code(name)}的结果是：`) + text,
  howToAsk: "直接说你想做什么就行，一次说几件事也可以，我会调用合适的工具。",
  welcome: "不客气。",
  goodbye: "再见！",
  dismissed: "好的，那就不做了。",
  media: (count) => `你的消息附带了 ${count} 个图片或文件。我只是演示模型，看不了里面的内容。`,
  nothingNew: "目前没有需要我回答的新内容。接下来要做什么？",
  nothingLeft: "没有剩下要做的事了。接下来要做什么？",
  calling: (names, isNext) =>
    tidy(
      names.length === 1
        ? `${isNext ? "接下来我调用" : "我来调用"}${codes(names)}。`
        : `${isNext ? "接下来我同时发起" : "我同时发起"} ${names.length} 个调用：${codes(names)}。`,
    ),
  finalAnswer: "以下是最终答案。",
  madeUp: (values) =>
    tidy(
      `我没能从你的话里确定${codes(
        values.map(([name]) => name),
        "或",
      )}，所以先随便填了：${values.map(([name, value]) => `${code(name)}为 ${value}`).join("，")}。`,
    ),
  leftOut: (name, said) => tidy(`${code(name)}放不下 ${said}，所以我没有填它。`),
  carried: (values) => tidy(`沿用之前的：${values.map(([name, value]) => `${code(name)}为 ${value}`).join("，")}。`),
  unfound: (values) =>
    tidy(
      `我没有查到${codes(
        values.map(([name]) => name),
        "或",
      )}，先随便填上：${values.map(([name, value]) => `${code(name)}为 ${value}`).join("，")}。`,
    ),
  unfillable(name, parameter, said) {
    if (parameter === undefined) return tidy(`我无法调用${code(name)}：不知道该怎样填写它的参数。`);
    return tidy(
      said === undefined
        ? `我无法调用${code(name)}：没有找到参数${code(parameter)}可以接受的值。`
        : `我无法调用${code(name)}：参数${code(parameter)}不接受 ${said}。`,
    );
  },
  toolsAreOff: (names) => tidy(`这次回答不允许使用工具，否则我会调用${codes(names)}。`),
  enough: "一条消息就先做到这里，我停下来了。还需要什么请告诉我。",
  retry: (name, problem, values) => tidy(`${code(name)}没有接受参数（${problem}），我改用 ${values} 再试一次。`),
  left: (names) => tidy(`接下来的${codes(names)}还没有开始。回复“继续”，我就接着做。`),
  succeeded: (name, text) => tidy(`${code(name)}的结果：`) + text,
  emptyResult: (name) => tidy(`${code(name)}已完成，没有返回内容。`),
  mediaResult: (name, count) => tidy(`${code(name)}返回了 ${count} 个图片或文件，我看不了里面的内容。`),
  time: (text) => `现在是 ${text}`,
  failed: (name, text) => tidy(`${code(name)}失败了：`) + text,
  rejected: (name, reason) =>
    tidy(`你拒绝了${code(name)}${reason === undefined ? "" : `（“${reason}”）`}，所以它没有执行，我也不会再次发起。`),
  untold: (count) => `另有 ${count} 个调用已经结束，数量太多，不逐一说明。`,
  alternative: (parameters) =>
    tidy(
      parameters.length === 0
        ? "如果想换一种做法，请告诉我。"
        : `如果想换一种做法，请告诉我要改什么，例如${codes(parameters, "或")}。`,
    ),
  notices: {
    superseded: (name) => tidy(`${code(name)}已被取消，因为在它完成之前你又发来了消息。`),
    interrupted: (name) => tidy(`${code(name)}没有留下结果，因为会话曾被中断。它可能执行了，也可能没有。`),
    malformed: (name) => tidy(`${code(name)}没有执行，因为它的参数不是有效的 JSON。`),
    truncated: (name) => tidy(`${code(name)}没有执行，因为它的参数被截断了。`),
    expired: (name) => tidy(`${code(name)}没有执行，因为在时限内没有人批准。`),
    stopped: (name) => tidy(`${code(name)}没有执行，因为运行在它开始之前就停止了。`),
    "stopped-running": (name) => tidy(`运行停止时${code(name)}正在执行，我不知道结果如何。`),
    crashed: (name) => tidy(`进程终止时${code(name)}正在执行，我不知道结果如何；再次执行之前请先确认。`),
    "timed-out": (name) => tidy(`${code(name)}没有按时完成，我不知道结果如何。`),
    limit: (name) => tidy(`${code(name)}没有执行，因为运行达到了上限。`),
    pending: (name) => tidy(`${code(name)}还没有执行。`),
    awaiting: (name) => tidy(`${code(name)}还没有执行：正在等待批准。`),
    running: (name) => tidy(`${code(name)}仍在执行，还没有结果。`),
  },
  folded: (text, length) => `${text}……（共 ${length} 个字符）`,
  pair: (name, value) => `${name} = ${value}`,
  pairs: (pairs) => pairs.join("，"),
  stop: "。",
};
