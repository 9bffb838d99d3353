// Which values must not be shown unchanged (REC-04). Names decide, and a JWT is a token under any name.
import type { LogSecrets } from '#shared/base/logger.ts';
import { maskAddresses } from '#shared/base/secrets/mask-addresses.ts';
import { soundsSecret, userinfoName } from '#shared/base/secrets/secret-names.ts';
import { openParameters, secretParameters } from './known-parameters.ts';

const secretNames: ReadonlySet<string> = new Set([...secretParameters.map(lowerCase), userinfoName]);

/** Protocol secrets under unknown names: a misspelt parameter, or a header of a gateway. */
const protocolSecret = /token(?!_type|_endpoint|s_)|verifier$/i;

/** Names that look like secrets, but are known not to be. */
const openNames: ReadonlySet<string> = new Set(openParameters.map(lowerCase));

/** What the log never shows. */
export const logSecrets: LogSecrets = {
  members: [...secretParameters, 'authorization', 'cookie'],
  withoutSecrets: withoutAddressSecrets,
};

function lowerCase(name: string): string {
  return name.toLowerCase();
}

/** The same names occur repeatedly. Names from outside can be many. */
const judged = new Map<string, boolean>();
const judgedMax = 1000;
const judgedCharactersMax = 100;

export function isSecretName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isSecret = judge(name);
  if (name.length <= judgedCharactersMax) {
    if (judged.size >= judgedMax) judged.clear();
    judged.set(name, isSecret);
  }
  return isSecret;
}

function judge(name: string): boolean {
  const lower = name.toLowerCase();
  if (secretNames.has(lower)) return true;
  return (
    !openNames.has(lower) &&
    !/_(endpoint|supported|method|methods|uri|lifetime)(_|$)/.test(lower) &&
    (protocolSecret.test(lower) || soundsSecret(lower))
  );
}

/** Whether the value of this name in an address is secret. */
export function isSecretInAddress(name: string, value: string): boolean {
  return isSecretName(name) || looksLikeJwt(value);
}

/** For values that are stored or logged unmasked: replaces possible secrets in each address within the text. */
export function withoutAddressSecrets(text: string): string {
  return maskAddresses(text, (value, name) => (isSecretInAddress(name, value) ? '[redacted]' : undefined));
}

const jwtForm = /^ey[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

export function looksLikeJwt(value: string): boolean {
  return value.startsWith('ey') && jwtForm.test(value);
}

/** Longer tokens are not decoded. */
const tokenCharactersMax = 64 * 1024;

/** The token without its signature, which is of no use to an attacker. undefined: the token is too long to decode. */
export function withoutSignature(token: string): string | undefined {
  const end = token.lastIndexOf('.');
  return end > 0 && end <= tokenCharactersMax ? token.slice(0, end) : undefined;
}
