// The kinds of `runtime.store` and how they differ for readers of the settings, so that code never compares a kind's
// name. shared/model/runtime-store/store-location.ts describes what an opened store can do.

interface StoreKind {
  /**
   * The key of `runtime` that sets its location. undefined: it is deleted with the stack or instance that created it.
   */
  readonly place: 'path' | 'url' | undefined;
  /** It stores generated signing keys, which all its stacks share (CLU-06). */
  readonly keepsKeys: boolean;
}

const kinds = {
  memory: { place: undefined, keepsKeys: false },
  sqlite: { place: 'path', keepsKeys: false },
  postgres: { place: 'url', keepsKeys: true },
} as const satisfies Record<string, StoreKind>;

type StoreKindName = keyof typeof kinds;

export const storeKindNames = ['memory', 'sqlite', 'postgres'] as const satisfies readonly StoreKindName[];

export function storeKindOf({ store }: { readonly store: StoreKindName }): StoreKind {
  return kinds[store];
}
