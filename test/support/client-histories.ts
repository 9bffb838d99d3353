// Clients for the rules of the verdict, as the recorder would have kept what they did: exchanges one after the other, a
// second apart, with as few words as possible.
import { instant } from '#shared/base/clock.ts';
import { type ClientHistory, faultyOnes } from '#shared/engine/verdict/client-history.ts';
import { type Judged, judging } from '#shared/engine/verdict/judge.ts';
import { verdictRules } from '#shared/engine/verdict/rules/index.ts';
import type { KeptExchange, NamedText, Noticed, RecordedEndpoint, SamlSummary } from '#shared/model/domain/exchange.ts';

type Texts = Readonly<Record<string, string>>;

/** What a test says of an exchange; the rest is that of an answered request of the client `web`. */
export interface Told extends Partial<Omit<KeptExchange, 'content' | 'endpoint'>> {
  readonly query?: Texts | readonly (readonly [string, string])[];
  readonly body?: Texts | readonly (readonly [string, string])[];
  readonly headers?: Texts;
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly noticed?: Omit<Noticed, 'inQuery'>;
  readonly decoded?: KeptExchange['content']['decoded'];
}

export type Step = readonly [endpoint: RecordedEndpoint, told?: Told];

const began = Date.parse('2026-03-01T12:00:00Z');

/** Exchanges in their order, each in a flow of its own unless it says otherwise. */
export function exchangesOf(steps: readonly Step[]): readonly KeptExchange[] {
  return steps.map(([endpoint, told = {}], index): KeptExchange => {
    const { query = {}, body = {}, headers = {}, answer = {}, noticed = {}, decoded = [], ...facts } = told;
    const [inQuery, inBody] = [textsOf(query), textsOf(body)];
    const at = instant(began + index * 1000);
    return {
      ...{ id: index + 1, flow: index + 1, endpoint, at, clock: facts.at ?? at, durationMilliseconds: 1 },
      ...{ method: inBody.length > 0 || endpoint === 'token' ? 'POST' : 'GET', path: `/${endpoint}`, status: 200 },
      ...{ clientId: 'web', username: undefined, sp: undefined, decision: 'accepted', reason: undefined },
      ...{ refusal: undefined, fault: undefined, repeated: 1 },
      grantType: inBody.find(({ name }) => name === 'grant_type')?.value,
      ...facts,
      content: {
        parameters: [...inQuery, ...inBody],
        request_headers: textsOf({ 'user-agent': 'client/1', ...form(endpoint), ...headers }),
        answer,
        response_headers: [],
        decoded,
        noticed: { inQuery: inQuery.length, ...noticed },
      },
    };
  });
}

function historyOf(steps: readonly Step[], told: Partial<ClientHistory> = {}): ClientHistory {
  const all = exchangesOf(steps);
  const faulty = faultyOnes(all);
  const last = all.at(-1)?.at ?? began;
  return {
    exchanges: all.filter(({ id, clientId, endpoint }) => !faulty.has(id) && clientId === 'web' && !isFetch(endpoint)),
    ...{
      surroundings: all,
      faulty,
      client: undefined,
      isRegisteredProvider: false,
      isWhole: true,
      now: instant(last + 60_000),
    },
    ...told,
  };
}

export function judged(steps: readonly Step[], told: Partial<ClientHistory> = {}, after = 0): Judged {
  const taken = judging(verdictRules, historyOf(steps, told), ({ id }) => id > after);
  for (;;) {
    const step = taken.next();
    if (step.done === true) return step.value;
  }
}

/** A SAML request as its summary, by redirect. */
export function authnRequest(saml: Partial<SamlSummary> = {}, told: Told = {}): Step {
  const summary = {
    ...{ message: 'AuthnRequest', id: '_one', issuer: 'https://sp.example', signed: [] },
    ...{ destination: 'https://idp.example/saml/sso', issue_instant: '2026-03-01T12:00:00Z' },
    ...saml,
  };
  return [
    'saml_sso',
    {
      ...told,
      query: { SAMLRequest: `message ${JSON.stringify(summary)}`, ...told.query },
      noticed: { sso: { address: 'https://idp.example/saml/sso', hasCertificates: false }, ...told.noticed },
      decoded: [{ name: 'SAMLRequest', in: 'parameters', saml: summary }],
    },
  ];
}

/** A token in an answer, with what it says. */
export function tokenWith(name: string, header: object, claims: object = {}): NonNullable<Told['decoded']> {
  return [{ name, in: 'answer', jwt: { header, claims } }];
}

/** A token among the parameters. */
export function tokenSent(name: string, claims: object): NonNullable<Told['decoded']> {
  return [{ name, in: 'parameters', jwt: { header: {}, claims } }];
}

function isFetch(endpoint: RecordedEndpoint): boolean {
  return endpoint === 'jwks' || endpoint === 'discovery';
}

function form(endpoint: RecordedEndpoint): Texts {
  return endpoint === 'token' ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
}

function textsOf(texts: Texts | readonly (readonly [string, string])[]): NamedText[] {
  const pairs = Array.isArray(texts) ? texts : Object.entries(texts);
  return pairs.map(([name, value]: readonly [string, string]) => ({ name, value }));
}
