// The observed data of an exchange, from the recording stage around an endpoint or the sender of a logout message. It
// exists until the response is sent. Only its stored form, without secrets, is kept (stored-exchange.ts).
import type { ExchangeContent, Noticed, StoredExchange } from '#shared/model/domain/exchange.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The session or logout to which an endpoint assigns its request. */
export type FlowKey = `session:${string}` | `logout:${string}`;

/** One exchange, with every value as it was sent. */
export interface ObservedExchange extends Omit<StoredExchange, 'content' | 'keys' | 'secrets'> {
  /** The parameters of query and body, in the order sent. */
  readonly parameters: Pairs;
  /**
   * Members of a JSON body that the endpoint did not read. They identify the client and the flow, and are not shown.
   */
  readonly namedInJson: Pairs;
  readonly requestHeaders: HeaderValues;
  readonly responseHeaders: HeaderValues;
  /** The members of the response: of its JSON object, of the redirect address, or of the form that it posts. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** A SOAP message instead of parameters, and of a response. */
  readonly soap: { readonly request: Buffer; readonly answer: string | undefined } | undefined;
  readonly details: ExchangeContent['details'];
  readonly noticed: Omit<Noticed, 'browser'> | undefined;
  /** From its cookie. `isDrawn`: the response sets it. */
  readonly browser: { readonly id: string; readonly isDrawn: boolean } | undefined;
  /** The session or logout that it belongs to. */
  readonly flows: readonly FlowKey[];
}

/** The first non-empty value with that name. */
export function valueIn(pairs: Pairs, name: string): string | undefined {
  return pairs.find(([key, value]) => key === name && value !== '')?.[1];
}
