/** A place that is known by name, in both languages, with the zone of its clocks. */
export interface Place {
  readonly names: readonly string[];
  readonly zone: string;
}

const places: readonly Place[] = (
  [
    ["Asia/Shanghai", "Beijing Shanghai Shenzhen Guangzhou China 北京 上海 深圳 广州 杭州 成都 南京 武汉 中国"],
    ["Asia/Hong_Kong", "香港"],
    ["Asia/Tokyo", "Tokyo Japan 东京 日本"],
    ["Asia/Singapore", "Singapore 新加坡"],
    ["Asia/Kolkata", "Delhi Mumbai India 德里 孟买 印度"],
    ["Europe/London", "London England 伦敦 英国"],
    ["Europe/Paris", "Paris France 巴黎 法国"],
    ["Europe/Rome", "Rome Milan Italy 罗马 米兰 意大利"],
    ["Europe/Madrid", "Madrid Barcelona Spain 马德里 巴塞罗那 西班牙"],
    ["Asia/Seoul", "Seoul Korea 首尔 韩国"],
    ["Europe/Berlin", "Berlin Munich Germany 柏林 慕尼黑 德国"],
    ["Europe/Oslo", "Oslo Bergen Norway 奥斯陆"],
    ["Europe/Moscow", "Moscow 莫斯科"],
    ["America/New_York", "Boston 纽约 波士顿"],
    ["America/Los_Angeles", "Seattle 洛杉矶 旧金山 西雅图"],
    ["Australia/Sydney", "Sydney 悉尼"],
    ["UTC", "UTC GMT"],
  ] as const
).map(([zone, names]) => ({ zone, names: names.split(" ") }));

const twoWords: readonly Place[] = [
  { zone: "America/New_York", names: ["New York"] },
  { zone: "America/Los_Angeles", names: ["San Francisco", "Los Angeles"] },
  { zone: "Asia/Hong_Kong", names: ["Hong Kong"] },
];

/** Where each name is looked for: whole words, or Chinese characters anywhere. */
const known = [...twoWords, ...places].flatMap(({ names, zone }) =>
  names.map((name) => ({ name, zone, pattern: new RegExp(/^[\w ]+$/u.test(name) ? `\\b${name}\\b` : name, "iu") })),
);

/** The places that a text names, in its order, by the names that it uses. */
export function placesIn(text: string): readonly { readonly name: string; readonly zone: string }[] {
  return known
    .map(({ name, zone, pattern }) => ({ name, zone, at: text.search(pattern) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
    .map(({ name, zone }) => ({ name, zone }));
}
