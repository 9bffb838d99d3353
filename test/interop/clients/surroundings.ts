// What the clients use: their own packages, each kind of provider, and Chromium.
import { launchChromium } from '#test/support/chromium.ts';
import type { Skippable } from '#test/support/debian-programs.ts';
import type { Language } from './client-rows.ts';
import { installClients } from './installed.ts';
import type { Surroundings } from './log-in.ts';
import { startProvider } from './provider.ts';

export async function openSurroundings(
  context: Skippable,
  languages: readonly Language[],
): Promise<{ readonly surroundings: Surroundings; close(): Promise<void> }> {
  const installed = await installClients(languages);
  const browser = await launchChromium(context);
  const providers = {
    http: await startProvider('http'),
    https: await startProvider('https'),
    implicit: await startProvider('implicit'),
    named: await startProvider('named'),
  };
  return {
    surroundings: { installed, providers, browser },
    async close() {
      await browser.close();
      for (const provider of Object.values(providers)) await provider.stop();
    },
  };
}
