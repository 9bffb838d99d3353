// The kinds of `runtime.store`, and what they differ in for whoever reads the settings: nobody asks for a kind by name. What
// an opened store can do is said in shared/model/runtime-store/store-location.ts.

interface StoreKind {
  /** The key of `runtime` that says where it lies; undefined: it ends with the stack, or the instance, that made it. */
  readonly place: 'path' | 'url' | undefined;
  /** Generated signing keys lie in it, and are those of all stacks on it (CLU-06). */
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
