// Real Chromium for tests, from Debian's package, headless and without background traffic of its own.
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Skippable, toolOrSkip } from './debian-programs.ts';

/** Call it in a `before` hook with its context, and close the browser in `after`. */
export function launchChromium(context: Skippable): Promise<Browser> {
  return chromium.launch({
    executablePath: toolOrSkip(context, 'chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** What the Content Security Policy of a page blocks from now on, as a growing list. */
export function refusedByPolicy(page: Page): readonly string[] {
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text());
  });
  return refused;
}
