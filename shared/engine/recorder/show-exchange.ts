// Exchanges and flows as REST, tools, pages and downloads show them (REC-02, REC-17). Their models are in this file
// too.
import * as z from 'zod';
import { decisions, type KeptExchange, recordedEndpoints, type SamlSummary } from '#shared/model/domain/exchange.ts';
import { type Flow, flowKinds, flowOutcomes } from '#shared/model/domain/flow.ts';

const textOrNull = z.string().nullable();
const namedTexts = z.array(z.strictObject({ name: z.string(), value: z.string() }));

const samlModel = z.strictObject({
  message: z.string(),
  id: z.string().optional(),
  issuer: z.string().optional(),
  destination: z.string().optional(),
  in_response_to: z.string().optional(),
  audience: z.string().optional(),
  name_id: z.string().optional(),
  status: z.string().optional(),
  issue_instant: z.string().optional(),
  acs_url: z.string().optional(),
  is_passive: z.boolean().optional(),
  force_authn: z.boolean().optional(),
  signed: z.array(z.string()).describe('The signed elements.'),
  signature_methods: z.array(z.string()).optional().describe("Algorithms of the message's own signature."),
});

export const exchangeModel = z
  .strictObject({
    id: z.string(),
    flow: z.string(),
    endpoint: z.enum(recordedEndpoints),
    at: z.iso.datetime().describe('Real time.'),
    clock: z.iso.datetime().describe('Time on the clock of the identity provider or sandbox.'),
    duration_ms: z.number(),
    method: z.string(),
    path: z.string(),
    parameters: namedTexts.describe('Parameters of query and body, in the order sent. Secrets are fingerprints.'),
    request_headers: namedTexts,
    status: z.int(),
    answer: z.record(z.string(), z.unknown()).describe('The members of its JSON, its redirect address or its form.'),
    response_headers: namedTexts,
    decoded: z
      .array(
        z.strictObject({
          name: z.string(),
          in: z.enum(['parameters', 'request_headers', 'answer']),
          jwt: z.strictObject({ header: z.unknown(), claims: z.unknown() }).optional(),
          saml: samlModel.optional(),
        }),
      )
      .describe('Content of its tokens and SAML messages, unverified.'),
    client_id: textOrNull.describe(
      'The client that the request or its token names, even if it did not authenticate. The same applies to username.',
    ),
    username: textOrNull,
    decision: z.enum(decisions),
    reason: textOrNull,
    refusal: textOrNull.describe('The code of the rejection (docs/errors.md).'),
    details: z.record(z.string(), z.unknown()).describe('Details of a rejection: the received and the expected value.'),
    fault: textOrNull.describe('The fault that fired.'),
    repeated: z.int().describe('Number of identical requests within a second.'),
  })
  .meta({ id: 'Exchange' });

type ShownExchange = z.output<typeof exchangeModel>;

export const flowModel = z
  .strictObject({
    id: z.string(),
    kind: z.enum(flowKinds),
    client_id: textOrNull,
    username: textOrNull,
    sp: textOrNull,
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime(),
    outcome: z.enum(flowOutcomes),
    exchanges: z.int().describe('Number of exchanges.'),
    faults: z.array(z.string()),
  })
  .meta({ id: 'Flow' });

export type ShownFlow = z.output<typeof flowModel>;

export function exchangeId(number: number): string {
  return `x${number}`;
}

export function flowId(number: number): string {
  return `f${number}`;
}

/** The number in an id or cursor; undefined: the string is neither. */
export function numberIn(id: string, prefix: 'x' | 'f' | ''): number | undefined {
  const digits = id.startsWith(prefix) ? id.slice(prefix.length) : '';
  return /^(0|[1-9][0-9]{0,14})$/.test(digits) ? Number(digits) : undefined;
}

export function shownExchange(exchange: KeptExchange): ShownExchange {
  const { content } = exchange;
  return {
    id: exchangeId(exchange.id),
    flow: flowId(exchange.flow),
    endpoint: exchange.endpoint,
    at: new Date(exchange.at).toISOString(),
    clock: new Date(exchange.clock).toISOString(),
    duration_ms: exchange.durationMilliseconds,
    method: exchange.method,
    path: exchange.path,
    parameters: [...content.parameters],
    request_headers: [...content.request_headers],
    status: exchange.status,
    answer: { ...content.answer },
    response_headers: [...content.response_headers],
    decoded: content.decoded.map(({ saml, ...one }) => (saml === undefined ? one : { ...one, saml: shownSaml(saml) })),
    client_id: exchange.clientId ?? null,
    username: exchange.username ?? null,
    decision: exchange.decision,
    reason: exchange.reason ?? null,
    refusal: exchange.refusal ?? null,
    details: { ...content.details },
    fault: exchange.fault ?? null,
    repeated: exchange.repeated,
  };
}

function shownSaml({ signed, signature_methods: methods, ...rest }: SamlSummary): z.output<typeof samlModel> {
  return { ...rest, signed: [...signed], ...(methods === undefined ? {} : { signature_methods: [...methods] }) };
}

export function shownFlow(flow: Flow): ShownFlow {
  return {
    id: flowId(flow.id),
    kind: flow.kind,
    client_id: flow.clientId ?? null,
    username: flow.username ?? null,
    sp: flow.sp ?? null,
    started_at: new Date(flow.startedAt).toISOString(),
    ended_at: new Date(flow.endedAt).toISOString(),
    outcome: flow.outcome,
    exchanges: flow.exchanges,
    faults: [...flow.faults],
  };
}

const fingerprint = /fp:[0-9a-f]{12}/g;

/** The exchange with whole values instead of their fingerprints. */
export function revealedExchange(exchange: ShownExchange, secrets: Readonly<Record<string, string>>): ShownExchange {
  const whole = (text: string) =>
    text.replace(fingerprint, (found) => (Object.hasOwn(secrets, found) ? (secrets[found] ?? found) : found));
  const named = (texts: ShownExchange['parameters']) => texts.map(({ name, value }) => ({ name, value: whole(value) }));
  return {
    ...exchange,
    parameters: named(exchange.parameters),
    request_headers: named(exchange.request_headers),
    response_headers: named(exchange.response_headers),
    answer: Object.fromEntries(Object.entries(exchange.answer).map(([name, value]) => [name, wholeIn(value, whole)])),
  };
}

function wholeIn(value: unknown, whole: (text: string) => string): unknown {
  if (typeof value === 'string') return whole(value);
  if (Array.isArray(value)) return value.map((entry: unknown) => wholeIn(entry, whole));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wholeIn(member, whole)]));
}
