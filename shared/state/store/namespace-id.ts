// Which rows of a store belong together. The default namespace is there from the start and for ever; another one lives
// once: whoever bears its name later is another namespace and finds none of its rows (SBX-14).

export interface NamespaceId {
  readonly name: string;
  /** Drawn for this one life of the name, never used twice. */
  readonly instanceId: string;
}

/** What every row of a namespace carries. */
export type NamespaceKey = string;

export const defaultNamespace: NamespaceKey = 'default';

export function namespaceKey({ name, instanceId }: NamespaceId): NamespaceKey {
  return `${name}/${instanceId}`;
}

/** The name in a key; undefined: the default namespace. */
export function nameInKey(key: NamespaceKey): string | undefined {
  return key === defaultNamespace ? undefined : key.slice(0, key.lastIndexOf('/'));
}

/** The namespace was deleted, or its time was over, before the operation: what it asked for is nowhere any more. */
export class NamespaceEndedError extends Error {
  constructor(readonly key: NamespaceKey) {
    super(`The namespace ${key} has ended.`);
  }
}
