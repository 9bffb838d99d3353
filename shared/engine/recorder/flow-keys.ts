// By what an exchange belongs to others: what its request names, and what its answer makes (REC-16). A key is a kind and a
// value; secrets among the values are fingerprints. What tokens tell is found later (shared/model/domain/recorded-exchange.ts).
import type { FlowKeys, RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import { pushedRequestPrefix } from '#shared/model/domain/pushed-request.ts';
import { normalizeUserCode } from '#shared/protocol/oauth2/user-code.ts';
import type { Fingerprints } from './fingerprints.ts';

/** By what those who know more of a request than its parameters tell say where it belongs: a session, a logout under way. */
export type FlowKey = `session:${string}` | `logout:${string}`;

interface KeyedRequest {
  readonly endpoint: RecordedEndpoint;
  readonly path: string;
  value(name: string): string | undefined;
}

export interface SamlKey {
  readonly id: string;
  readonly browser: string;
}

type Members = Readonly<Record<string, unknown>>;

export function flowKeysOf(
  request: KeyedRequest,
  answer: Members,
  saml: SamlKey | undefined,
  fingerprints: Fingerprints,
): FlowKeys {
  const named = new Keys(fingerprints);
  const made = new Keys(fingerprints);
  const asksForToken = request.endpoint === 'token';
  const member = (name: string) => textIn(answer, name);

  named.add('transaction', request.value('transaction_id'));
  named.add('factor', request.value('pending_second_factor'));
  if (asksForToken) named.addSecret('code', request.value('code'));
  named.add('pushed', pushedIn(request.value('request_uri')));
  named.addSecret('device', request.value('device_code'));
  named.add('user_code', asUserCode(request.value('user_code')));
  if (saml !== undefined) named.add('saml', `${saml.browser} ${saml.id}`);
  if (request.endpoint === 'register') named.add('registration', /^\/register\/(.+)$/.exec(request.path)?.[1]);
  if (request.endpoint === 'logout') named.addSecret('hint', request.value('id_token_hint'));

  made.add('transaction', member('transaction_id'));
  made.add('factor', member('pending_second_factor'));
  if (!asksForToken) made.addSecret('code', member('code'));
  made.add('pushed', pushedIn(member('request_uri')));
  made.addSecret('device', member('device_code'));
  made.add('user_code', asUserCode(member('user_code')));
  if (asksForToken) made.addSecret('hint', member('id_token'));
  if (request.endpoint === 'register') made.add('registration', member('client_id'));
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

function pushedIn(requestUri: string | undefined): string | undefined {
  return requestUri?.startsWith(pushedRequestPrefix) === true ? requestUri : undefined;
}

function asUserCode(typed: string | undefined): string | undefined {
  return typed === undefined ? undefined : normalizeUserCode(typed);
}

function textIn(members: Members, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
