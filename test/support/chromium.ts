// Real Chromium for tests, from Debian's package, headless and without any traffic of its own.
import { type Browser, chromium } from 'playwright-core';
import { type Skippable, toolOrSkip } from './tools.ts';

/** Call it in a `before` hook with its context; close the browser in `after`. */
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
