// The REST API as methods.
import type { Operations } from '../operations.ts';

/** Operations without parameters declare an index signature, which adds no members. */
type Parameters<Declared> = string extends keyof Declared ? unknown : Declared;

type Body<Declared> = undefined extends Declared ? { readonly body?: Declared } : { readonly body: Declared };

type Argument<Operation extends { parameters: unknown; query: unknown; body: unknown }> = Parameters<
  Operation['parameters']
> &
  Parameters<Operation['query']> &
  Body<Operation['body']> & { readonly headers?: Readonly<Record<string, string>> };

/**
 * The REST API: one method for each operation of /openapi.json. Pass path and query parameters by name, and the body as
 * `body`: `idp.api.createUserToken({ username: 'alice', body: { exp_minutes: 5 } })`.
 */
export type IdpApi = {
  readonly [Id in keyof Operations]: object extends Argument<Operations[Id]>
    ? (asked?: Argument<Operations[Id]>) => Promise<Operations[Id]['answer']>
    : (asked: Argument<Operations[Id]>) => Promise<Operations[Id]['answer']>;
};
