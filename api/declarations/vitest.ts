// The type declarations of `test-idp/vitest`.
import type { TestAPI } from 'vitest';
import type { Idp, StartOptions } from '../types.ts';

export interface VitestFixtures {
  /** One instance for each worker, and in it one sandbox for each test file, created at first use. */
  readonly idp: Idp;
  /**
   * The options that start the instance. To set them for a project, use `test: { provide: { idpOptions: … } }` in the
   * configuration.
   */
  readonly idpOptions: StartOptions;
}

declare module 'vitest' {
  interface ProvidedContext {
    idpOptions: StartOptions;
  }
}

/** vitest's `test` with an identity provider. */
export declare const test: TestAPI<VitestFixtures>;
