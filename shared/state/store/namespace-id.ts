// Which rows of a store belong together. The default namespace always exists. Every other namespace lives once: a later
// one with the same name is a different namespace and finds none of its rows (SBX-14).

export interface NamespaceId {
  readonly name: string;
  /** Drawn for one life of the name, never reused. */
  readonly instanceId: string;
}

/** The value that every row of a namespace carries. */
export type NamespaceKey = string;

export const defaultNamespace: NamespaceKey = 'default';

export function namespaceKey({ name, instanceId }: NamespaceId): NamespaceKey {
  return `${name}/${instanceId}`;
}

/** Returns the name in a key. undefined: the default namespace. */
export function nameInKey(key: NamespaceKey): string | undefined {
  return key === defaultNamespace ? undefined : key.slice(0, key.lastIndexOf('/'));
}

/** The namespace was deleted or had expired before the operation, so its data no longer exists. */
export class NamespaceEndedError extends Error {
  constructor(readonly key: NamespaceKey) {
    super(`The namespace ${key} has ended.`);
  }
}
