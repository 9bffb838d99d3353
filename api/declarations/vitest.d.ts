import type { TestAPI } from 'vitest';
import type { Idp, StartOptions } from '../types.ts';
export interface VitestFixtures {
  /** One instance for each worker, one sandbox in it for each test file, made at first use. */
  readonly idp: Idp;
  /** How that instance is started; `test: { provide: { idpOptions: … } }` of the configuration says it for a project. */
  readonly idpOptions: StartOptions;
}
declare module 'vitest' {
  interface ProvidedContext {
    idpOptions: StartOptions;
  }
}
/** vitest's `test` with an identity provider. */
export declare const test: TestAPI<VitestFixtures>;
