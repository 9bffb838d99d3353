// idp.api: one method for each operation of the OpenAPI document, created from its list (API-27, OAS-09).
import { noOther, objectGiven } from './arguments.ts';
import { type Operations, operations } from './operations.ts';
import type { Requests } from './requests.ts';
import type { IdpApi } from './types.ts';

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A path or query parameter. */
  readonly [parameter: string]: unknown;
}

export function operationCalls(requests: Requests): IdpApi {
  const calls = Object.entries(operations).map(([id, operation]) => {
    const { method, path, mediaTypes } = operation;
    const call = async (argument: Asked = {}) => {
      const { body, headers, ...parameters } = objectGiven(id, argument);
      onlyParametersOf(operation, id, parameters);
      return requests.operation(method, addressOf(path, parameters), { body, headers, mediaTypes });
    };
    return [id, call] as const;
  });
  // The type of the list guarantees an entry for each operation. The responses have the declared types.
  return Object.fromEntries(calls) as unknown as { readonly [Id in keyof Operations]: IdpApi[Id] };
}

/**
 * `calledAs` is the name of the method that the caller used, for error messages.
 * @throws IdpError invalid_option
 */
export function onlyParametersOf<Parameters extends object>(
  { path, query }: { readonly path: string; readonly query: readonly string[] },
  calledAs: string,
  parameters: Parameters,
): Parameters {
  const isKnown = (name: string) => query.includes(name) || path.includes(`{${name}}`);
  const others = Object.fromEntries(Object.entries(parameters).filter(([name]) => !isKnown(name)));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  noOther(calledAs, others, [...inPath, ...query]);
  return parameters;
}

/** Fills the parameters into a path such as `/api/users/{username}`. The others become the query. */
function addressOf(path: string, parameters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  let address = path;
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const place = `{${name}}`;
    if (path.includes(place)) address = address.replace(place, () => encodeURIComponent(String(value)));
    else query.set(name, String(value));
  }
  return query.size === 0 ? address : `${address}?${query}`;
}
