// The parts of vitest and Playwright that the fixtures use. Both are optional peer dependencies and too large to
// install for type checks. The drill of the fixtures compiles and runs against the real ones
// (test/package/runners.drill.ts).

declare module 'vitest' {
  type Fixture<Context, Value> = (context: Context, use: (value: Value) => Promise<void>) => Promise<void>;
  interface FixtureOptions {
    readonly scope?: 'file' | 'worker';
    readonly injected?: boolean;
  }
  export interface TestAPI<Context = object> {
    (name: string, body: (context: Context) => unknown): void;
    extend<Added>(
      fixtures: {
        readonly [Name in keyof Added]: readonly [Added[Name] | Fixture<Context & Added, Added[Name]>, FixtureOptions];
      },
    ): TestAPI<Context & Added>;
  }
  /** Merged with what a project provides. */
  export interface ProvidedContext {}
  export const test: TestAPI;
}

declare module '@playwright/test' {
  import type { BrowserContext, Page } from 'playwright-core';

  type Use<Value> = (value: Value) => Promise<void>;
  export interface TestInfo {
    readonly file: string;
  }
  export interface PlaywrightTestArgs {
    readonly page: Page;
    readonly context: BrowserContext;
  }
  export type PlaywrightTestOptions = object;
  export type PlaywrightWorkerArgs = object;
  export type PlaywrightWorkerOptions = object;
  export interface TestType<TestArguments, WorkerArguments> {
    (title: string, body: (given: TestArguments & WorkerArguments) => unknown): void;
    extend<Added, AddedToWorker>(
      fixtures: {
        readonly [Name in keyof Added]: (
          given: TestArguments & WorkerArguments & Added & AddedToWorker,
          use: Use<Added[Name]>,
          info: TestInfo,
        ) => Promise<void>;
      } & {
        readonly [Name in keyof AddedToWorker]: readonly [
          (
            | AddedToWorker[Name]
            | ((given: WorkerArguments & AddedToWorker, use: Use<AddedToWorker[Name]>) => Promise<void>)
          ),
          { readonly scope: 'worker'; readonly option?: boolean },
        ];
      },
    ): TestType<TestArguments & Added, WorkerArguments & AddedToWorker>;
  }
  export const test: TestType<
    PlaywrightTestArgs & PlaywrightTestOptions,
    PlaywrightWorkerArgs & PlaywrightWorkerOptions
  >;
}
