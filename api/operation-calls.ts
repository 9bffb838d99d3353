// idp.api: one method for each operation of the OpenAPI document, made from its list (API-27, OAS-09).
import { noOther, objectGiven } from './arguments.ts';
import { type Operations, operations } from './operations.ts';
import type { Requests } from './requests.ts';
import type { IdpApi } from './types.ts';

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A parameter of the path or of the query. */
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
  // The list has an entry for each operation, as its own type says, and what is answered is what the document declares.
  return Object.fromEntries(calls) as unknown as { readonly [Id in keyof Operations]: IdpApi[Id] };
}

/**
 * `calledAs` is what the caller wrote, who need not know the operation.
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

/** `/api/users/{username}` with its parameters; the others are the query. */
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
