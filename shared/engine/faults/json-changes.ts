// Changes of JSON objects that many faults share. They return new objects, or undefined where there is nothing to
// change.
import type { Document } from '#shared/engine/exchange/output-hooks.ts';

/** The object without that member; undefined when it has none. */
export function withoutMember(name: string): (document: Document) => Document | undefined {
  return (document) => {
    if (!Object.hasOwn(document, name)) return undefined;
    const { [name]: _, ...rest } = document;
    return rest;
  };
}

/** The object with other values for existing members; undefined when it lacks one of them. */
export function replacingMembers(values: Document): (document: Document) => Document | undefined {
  return (document) =>
    Object.keys(values).every((name) => Object.hasOwn(document, name)) ? { ...document, ...values } : undefined;
}
