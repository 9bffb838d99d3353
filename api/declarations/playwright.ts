// The type declarations of `test-idp/playwright`.
import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test';
import type { Idp, StartOptions } from '../types.ts';

export interface LoginAsOptions {
  /** Optional for users that `idp` knows, and in persona mode. */
  readonly password?: string;
  /** The six-digit code of the second factor. */
  readonly totp?: string;
  /** Where the application begins its login. The page opens this address and returns to the application. */
  readonly url?: string;
}

export interface PlaywrightFixtures {
  /**
   * One instance for each worker, and in it one sandbox for each test file, created at first use. Browsers stay logged
   * in.
   */
  readonly idp: Idp;
  /** Logs the context of `page` in at the instance. */
  readonly loginAs: (user: string, options?: LoginAsOptions) => Promise<void>;
}

export interface PlaywrightOptions {
  /**
   * The options that start the instance. To set them for a project, use `use: { idpOptions: … }` in the configuration.
   */
  readonly idpOptions: StartOptions;
}

/** Playwright's `test` with an identity provider. */
export declare const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & PlaywrightFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & PlaywrightOptions
>;
