import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test';
import type { Idp, StartOptions } from '../types.ts';
export interface LoginAsOptions {
  /** May be left out for users that `idp` knows, and in persona mode. */
  readonly password?: string;
  /** The six digits of the second factor. */
  readonly totp?: string;
  /** Where the application begins its login: the page goes there, and ends on the application's page. */
  readonly url?: string;
}
export interface PlaywrightFixtures {
  /** One instance for each worker, one sandbox in it for each test file, made at first use. Its logins are remembered. */
  readonly idp: Idp;
  /** Leaves the context of `page` logged in at the instance. */
  readonly loginAs: (user: string, options?: LoginAsOptions) => Promise<void>;
}
export interface PlaywrightOptions {
  /** How the instance is started; `use: { idpOptions: … }` of the configuration says it for a project. */
  readonly idpOptions: StartOptions;
}
/** Playwright's `test` with an identity provider. */
export declare const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & PlaywrightFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & PlaywrightOptions
>;
