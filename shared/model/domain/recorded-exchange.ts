// What is worked out of an exchange when it is recorded, and not while its request waits: what its tokens say, and to
// which flow they belong (REC-05, REC-16).
import { decodeUnsigned, tokenFamilyOf } from './decoded-token.ts';
import {
  boundedClaims,
  boundedValue,
  type Decoded,
  type FlowKeys,
  type NamedText,
  type NewExchange,
  type RecordedEndpoint,
  type Said,
  type UnreadToken,
} from './exchange.ts';

type Place = `${Decoded['in']} ${string}`;

/** Tokens that the request names at these endpoints; another request may have named or made them before. */
const namedTokens: Readonly<Partial<Record<RecordedEndpoint, readonly Place[]>>> = {
  token: ['parameters refresh_token'],
  ...Object.fromEntries(
    ['userinfo', 'introspect', 'revoke'].map((endpoint) => [
      endpoint,
      ['request_headers authorization', 'parameters token', 'parameters access_token'],
    ]),
  ),
};

const madeTokens: Readonly<Partial<Record<RecordedEndpoint, readonly Place[]>>> = {
  token: ['answer access_token', 'answer refresh_token'],
};

/** What was put down of an exchange. */
export interface ExchangePutDown {
  readonly exchange: Omit<NewExchange, 'headers'>;
  readonly request_headers: readonly NamedText[];
  readonly response_headers: readonly NamedText[];
}

/** With its tokens read. */
export function recordedExchange(putDown: ExchangePutDown): { readonly said: Said; readonly keys: FlowKeys } {
  const { exchange, request_headers, response_headers } = putDown;
  const { said, keys, endpoint } = exchange;
  const [named, made] = [[...keys.named], [...keys.made]];
  const decoded: Decoded[] = [];
  for (const one of said.decoded) {
    if (!isUnread(one)) {
      decoded.push(one);
      continue;
    }
    const token = decodeUnsigned(one.unsigned);
    if (token === undefined) continue;
    const place: Place = `${one.in} ${one.name}`;
    if (namedTokens[endpoint]?.includes(place) === true) named.push(...keyOfToken(token.payload));
    if (madeTokens[endpoint]?.includes(place) === true) made.push(...keyOfToken(token.payload));
    // Of a request object with a cut member nobody could say what it asks for.
    const claims = one.name === 'request' ? boundedValue(token.payload) : boundedClaims(token.payload);
    const jwt = { header: boundedValue(token.header), claims };
    decoded.push({ name: one.name, in: one.in, jwt });
  }
  return { said: { ...said, request_headers, response_headers, decoded }, keys: { named, made } };
}

function isUnread(one: Decoded | UnreadToken): one is UnreadToken {
  return 'unsigned' in one;
}

/** All tokens of a grant have one key; a token without a grant has its own. */
export function keyOfToken(claims: Readonly<Record<string, unknown>>): string[] {
  const family = tokenFamilyOf(claims);
  if (family !== undefined) return [`grant:${family}`];
  return typeof claims.jti === 'string' ? [`jti:${claims.jti}`] : [];
}
