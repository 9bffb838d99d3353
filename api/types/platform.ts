// Types of the platform, with a fallback for consumers whose compiler does not know them.

declare global {
  // Declared as in the standard library, for consumers whose `lib` lacks it. TypeScript merges equal declarations.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The platform's own type if the consumer's project has it, else the members used here. */
type Platform<Name extends string, Otherwise> = typeof globalThis extends {
  readonly [name in Name]: { readonly prototype: infer Instance };
}
  ? Instance
  : Otherwise;

export type IdpAbortSignal = Platform<
  'AbortSignal',
  {
    readonly aborted: boolean;
    readonly reason: unknown;
    addEventListener(type: 'abort', listener: () => void): void;
    removeEventListener(type: 'abort', listener: () => void): void;
  }
>;

export type IdpHeaders = Platform<'Headers', { entries(): Iterable<[string, string]> }>;

export type IdpResponse = Platform<
  'Response',
  {
    readonly status: number;
    readonly ok: boolean;
    readonly headers: { get(name: string): string | null };
    text(): Promise<string>;
    json(): Promise<unknown>;
  }
>;
