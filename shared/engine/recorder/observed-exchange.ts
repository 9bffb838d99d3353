// What is observed of an exchange, by the recording stage around an endpoint or by the sender of a logout message. It exists
// until the answer is sent: only its stored form, without secrets, is kept (stored-exchange.ts).
import type { Noticed, Said, StoredExchange } from '#shared/model/domain/exchange.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The session or logout to which an endpoint says that its request belongs. */
export type FlowKey = `session:${string}` | `logout:${string}`;

/** One exchange, with every value as it was sent. */
export interface ObservedExchange extends Omit<StoredExchange, 'said' | 'keys' | 'secrets'> {
  /** Of query and body, in the order sent. */
  readonly parameters: Pairs;
  /** Members of a JSON body that the endpoint did not read: they name the client and the flow, and are not shown. */
  readonly namedInJson: Pairs;
  readonly requestHeaders: HeaderValues;
  readonly responseHeaders: HeaderValues;
  /** The members of the answer: of its JSON object, of the address it redirects to, of the form that it posts. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** A SOAP message in the place of parameters, and of an answer. */
  readonly soap: { readonly request: Buffer; readonly answer: string | undefined } | undefined;
  readonly details: Said['details'];
  readonly noticed: Omit<Noticed, 'browser'> | undefined;
  /** By its cookie. `isDrawn`: the answer gives it one. */
  readonly browser: { readonly id: string; readonly isDrawn: boolean } | undefined;
  /** The session or logout that it belongs to. */
  readonly flows: readonly FlowKey[];
}

/** The first value with that name that is not empty. */
export function valueIn(pairs: Pairs, name: string): string | undefined {
  return pairs.find(([key, value]) => key === name && value !== '')?.[1];
}
