/** The digits that Chinese numbers below a hundred are written with. */
export const chineseDigits = "零一二两三四五六七八九十";

const digits = "零一二三四五六七八九";

/** A number in figures or in Chinese, up to 99: 三, 十二, 四十五. NaN for what is none. */
export function smallNumber(text: string): number {
  if (/^\d+$/u.test(text)) return Number(text);
  const [tens = "", ones] = text.replaceAll("两", "二").split("十");
  if (ones === undefined) return tens.length === 1 ? valueOf(tens) : Number.NaN;
  return (tens === "" ? 1 : valueOf(tens)) * 10 + (ones === "" ? 0 : valueOf(ones));
}

function valueOf(digit: string): number {
  const value = digit.length === 1 ? digits.indexOf(digit) : -1;
  return value < 0 ? Number.NaN : value;
}
