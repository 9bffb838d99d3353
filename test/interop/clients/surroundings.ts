// What the clients meet: their own packages, one provider at http and one at https, and Chromium.
import { launchChromium } from '#test/support/chromium.ts';
import type { Skippable } from '#test/support/tools.ts';
import { installClients } from './installed.ts';
import type { Surroundings } from './log-in.ts';
import { startProvider } from './provider.ts';

export async function openSurroundings(
  context: Skippable,
): Promise<{ readonly surroundings: Surroundings; close(): Promise<void> }> {
  const installed = await installClients();
  const browser = await launchChromium(context);
  const providers = { http: await startProvider('http'), https: await startProvider('https') };
  return {
    surroundings: { installed, providers, browser },
    async close() {
      await browser.close();
      for (const provider of Object.values(providers)) await provider.stop();
    },
  };
}
