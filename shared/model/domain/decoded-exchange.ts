// Decodes the tokens of a stored exchange when it gets its row: their content, and the flow that they belong to
// (REC-05, REC-16).
import { decodeUnsigned, tokenFamilyOf } from './decoded-token.ts';
import {
  boundedClaims,
  boundedValue,
  type Decoded,
  type ExchangeContent,
  type FlowKeys,
  type NamedText,
  type RecordedEndpoint,
  type StoredExchange,
} from './exchange.ts';

type Place = `${Decoded['in']} ${string}`;

/** Tokens that the request names at these endpoints. */
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

interface DecodedExchange {
  readonly content: ExchangeContent;
  readonly keys: FlowKeys;
}

export function decodedExchange({ endpoint, content, keys }: StoredExchange): DecodedExchange {
  const [named, made] = [[...keys.named], [...keys.made]];
  const decoded: Decoded[] = [];
  for (const one of content.decoded) {
    if (!('unsigned' in one)) {
      decoded.push(one);
      continue;
    }
    const token = decodeUnsigned(one.unsigned);
    if (token === undefined) continue;
    const place: Place = `${one.in} ${one.name}`;
    if (namedTokens[endpoint]?.includes(place) === true) named.push(...keyOfToken(token.payload));
    if (madeTokens[endpoint]?.includes(place) === true) made.push(...keyOfToken(token.payload));
    // A request object with a cut member would not show what it requests.
    const claims = one.name === 'request' ? boundedValue(token.payload) : boundedClaims(token.payload);
    decoded.push({ name: one.name, in: one.in, jwt: { header: boundedValue(token.header), claims } });
  }
  const { parameters, requestHeaders, answer, responseHeaders, details, noticed } = content;
  return {
    content: {
      parameters,
      request_headers: headersIn(requestHeaders),
      answer,
      response_headers: headersIn(responseHeaders),
      decoded,
      details,
      noticed,
    },
    keys: { named, made },
  };
}

function headersIn(lines: string): readonly NamedText[] {
  if (lines === '') return [];
  return lines.split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return { name: line.slice(0, colon), value: line.slice(colon + 2) };
  });
}

/** All tokens of a grant share one key. A token without a grant has its own. */
export function keyOfToken(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const family = tokenFamilyOf(claims);
  if (family !== undefined) return [`grant:${family}`];
  return typeof claims.jti === 'string' ? [`jti:${claims.jti}`] : [];
}
