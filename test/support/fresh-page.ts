// A page like in a new browser, in a reused context. A new context would cost each page the start of a process and the
// compilation of injected scripts.
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';

interface KeptContext {
  readonly context: BrowserContext;
  /** The session of a page that stays open, so that the process of the context's pages does too. */
  readonly session: CDPSession;
}

const keptContexts = new WeakMap<Browser, Map<string, KeptContext>>();

/** Runs `use` with a page, and removes everything that it leaves in the browser. */
export async function withFreshPage<Result>(
  browser: Browser,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const contexts = keptContexts.get(browser) ?? new Map<string, KeptContext>();
  keptContexts.set(browser, contexts);
  const name = JSON.stringify(options);
  const kept = contexts.get(name) ?? (await keepContext(browser, options));
  // If a test that timed out still uses the context, the next one gets another.
  contexts.delete(name);
  try {
    const page = await kept.context.newPage();
    const origins = new Set<string>();
    page.on('framenavigated', (frame) => origins.add(new URL(frame.url()).origin));
    const result = await use(page);
    await page.close();
    await forget(kept, origins);
    contexts.set(name, kept);
    return result;
  } catch (error) {
    await kept.context.close();
    throw error;
  }
}

async function keepContext(browser: Browser, options: BrowserContextOptions): Promise<KeptContext> {
  const context = await browser.newContext(options);
  return { context, session: await context.newCDPSession(await context.newPage()) };
}

async function forget({ context, session }: KeptContext, origins: ReadonlySet<string>): Promise<void> {
  const [, ...others] = context.pages();
  for (const other of others) await other.close();
  await context.clearCookies();
  for (const origin of origins) {
    // The origin of about:blank is the string "null".
    if (origin !== 'null') await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  await session.send('Network.clearBrowserCache');
}
