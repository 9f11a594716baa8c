/**
 * Texts that look like keys of providers, of common services and of the server. A server may echo a key that is unknown
 * here, such as that of a gateway, and a tool may return one. As in the other patterns, a secret may follow an escape of
 * JSON, such as `\n`, whose letters are no part of it.
 */
const keyShapes =
  /(?:\b|(?<=\\(?:[bfnrt]|u[\dA-Fa-f]{4})))(?:(?:(?:sk|gsk|csk|xai|nvapi|pplx|hf|glpat)[-_]|gh[opsur]_|github_pat_|xox[abeprs]-|AIza|AKIA|ya29\.)(?=[\w-]{0,200}\d)[\w-]{12,}|ud_[\da-f]{12}_[\w-]{20,})/gu;

/** The value of a parameter of an address whose name announces a secret. */
const parameters =
  /(?<=(?:[?&]|\\u0026)(?:[\w.-]{0,40}[_.-])?(?:(?:api)?key|token|secret|sig|signature|password|credential)=)[^\s&#"'\\<>]{4,}/giu;

/** The value of an `Authorization` header. */
const credentials = /(?<=(?:\b|\\(?:[bfnrt]|u[\da-f]{4}))(?:Bearer|Basic) )(?=[\w.~+/=-]{0,200}\d)[\w.~+/-]{16,}=*/giu;

/** Replaces texts that look like keys. */
export const hideKeys = (text: string): string =>
  text.replaceAll(keyShapes, "***").replaceAll(parameters, "***").replaceAll(credentials, "***");
