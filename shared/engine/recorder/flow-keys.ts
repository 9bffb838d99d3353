// The keys by which an exchange joins others in a flow: those that its request names, and those that its response
// creates (REC-16). A key is a kind and a value. Secrets among the values are fingerprints. The keys of tokens are
// found when tokens are decoded (shared/model/domain/decoded-exchange.ts).
import { keyOfToken } from '#shared/model/domain/decoded-exchange.ts';
import { decodeToken } from '#shared/model/domain/decoded-token.ts';
import type { FlowKeys } from '#shared/model/domain/exchange.ts';
import { pushedRequestPrefix } from '#shared/model/domain/pushed-request.ts';
import { normalizeUserCode } from '#shared/protocol/oauth2/user-code.ts';
import type { Fingerprints } from './fingerprints.ts';
import { type ObservedExchange, valueIn } from './observed-exchange.ts';

/** `samlId`: of the SAML message in the request. */
export function flowKeysOf(
  { endpoint, path, parameters, namedInJson, answer, browser, flows }: ObservedExchange,
  samlId: string | undefined,
  fingerprints: Fingerprints,
): FlowKeys {
  const named = new Keys(fingerprints);
  const made = new Keys(fingerprints);
  const asksForToken = endpoint === 'token';
  const value = (name: string) => valueIn(parameters, name) ?? valueIn(namedInJson, name);
  const member = (name: string) => textIn(answer, name);

  named.add('transaction', value('transaction_id'));
  named.add('factor', value('pending_second_factor'));
  if (asksForToken) named.addSecret('code', value('code'));
  named.add('pushed', pushedIn(value('request_uri')));
  named.addSecret('device', value('device_code'));
  named.add('user_code', asUserCode(value('user_code')));
  if (samlId !== undefined && browser !== undefined) named.add('saml', `${browser.id} ${samlId}`);
  if (endpoint === 'register') named.add('registration', /^\/register\/(.+)$/.exec(path)?.[1]);
  if (endpoint === 'logout') named.addSecret('hint', value('id_token_hint'));
  named.all.push(...flows, ...keyOfGrant(valueIn(namedInJson, 'refresh_token')));

  made.add('transaction', member('transaction_id'));
  made.add('factor', member('pending_second_factor'));
  if (!asksForToken) made.addSecret('code', member('code'));
  made.add('pushed', pushedIn(member('request_uri')));
  made.addSecret('device', member('device_code'));
  made.add('user_code', asUserCode(member('user_code')));
  if (asksForToken) made.addSecret('hint', member('id_token'));
  if (endpoint === 'register') made.add('registration', member('client_id'));
  return { named: named.all, made: made.all };
}

class Keys {
  readonly all: string[] = [];
  readonly #fingerprints: Fingerprints;

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  add(kind: string, value: string | undefined): void {
    if (value !== undefined) this.all.push(`${kind}:${value}`);
  }

  addSecret(kind: string, value: string | undefined): void {
    if (value !== undefined) this.all.push(`${kind}:${this.#fingerprints.of(value)}`);
  }
}

function keyOfGrant(refreshToken: string | undefined): readonly string[] {
  const token = refreshToken === undefined ? undefined : decodeToken(refreshToken);
  return token === undefined ? [] : keyOfToken(token.payload);
}

function pushedIn(requestUri: string | undefined): string | undefined {
  return requestUri?.startsWith(pushedRequestPrefix) === true ? requestUri : undefined;
}

function asUserCode(typed: string | undefined): string | undefined {
  return typed === undefined ? undefined : normalizeUserCode(typed);
}

function textIn(members: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
