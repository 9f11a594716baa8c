/**
 * Texts that look like keys of providers and of common services. A server may echo a key that is unknown here, such as
 * that of a gateway, and a tool may return one.
 */
const keyShapes =
  /\b(?:(?:sk|gsk|csk|xai|nvapi|pplx|hf|glpat)[-_]|gh[opsur]_|github_pat_|xox[abeprs]-|AIza|AKIA|ya29\.)(?=[\w-]{0,200}\d)[\w-]{12,}/gu;

/** The value of a parameter of an address whose name announces a secret. */
const parameters =
  /(?<=[?&](?:[\w.-]{0,40}[_.-])?(?:(?:api)?key|token|secret|sig|signature|password|credential)=)[^\s&#"'\\<>]{4,}/giu;

/** The value of an `Authorization` header. */
const credentials = /(?<=\b(?:Bearer|Basic) )(?=[\w.~+/=-]{0,200}\d)[\w.~+/-]{16,}=*/gu;

/** Replaces texts that look like keys. */
export const hideKeys = (text: string): string =>
  text.replaceAll(keyShapes, "***").replaceAll(parameters, "***").replaceAll(credentials, "***");
