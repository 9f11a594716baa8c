/** Texts that look like provider keys. A server may echo a key that is unknown here, such as that of a gateway. */
const keyShapes = /\b(?:(?:sk|gsk|csk|xai|nvapi|pplx|hf)[-_]|AIza|AKIA|ya29\.)(?=[\w-]{0,200}\d)[\w-]{12,}/gu;

/** Replaces texts that look like provider keys. */
export const hideKeys = (text: string): string => text.replaceAll(keyShapes, "***");
