// Runs the logins in an installed Chromium, for applications that need scripts (EXM-19). Each visit is a separate
// browser context. Its state is determined from what the page loads, never from time alone.
import * as z from 'zod';
import { systemStopwatch } from '#shared/base/clock.ts';
import { startChromium } from './chromium-process.ts';
import type { Devtools } from './devtools-pipe.ts';
import { readHtml } from './html-page.ts';
import { nextLoginStep } from './login-pages.ts';
import { PageTraffic } from './page-traffic.ts';
import { pause } from './pause.ts';
import { type Arrival, type Host, loginStepsMax, type Visit, type Visitor, type VisitorOptions } from './visitor.ts';

export async function chromiumVisitor(options: VisitorOptions): Promise<Visitor> {
  const { devtools, end } = await startChromium(options);
  return { begin: () => beginVisit(devtools, options), close: end };
}

const contextModel = z.looseObject({ browserContextId: z.string() });
const targetModel = z.looseObject({ targetId: z.string() });
const attachedModel = z.looseObject({ sessionId: z.string() });
const seenModel = z.looseObject({
  result: z.looseObject({
    value: z.looseObject({ url: z.string(), html: z.string(), text: z.string(), state: z.string() }).optional(),
  }),
});
const cookiesModel = z.looseObject({ cookies: z.array(z.looseObject({ name: z.string() })) });

/** No request has been running for this long, so every script has started what it wanted to start. */
const quietMilliseconds = 300;
const lookMilliseconds = 50;

async function beginVisit(devtools: Devtools, options: VisitorOptions): Promise<Visit> {
  const { browserContextId } = contextModel.parse(await devtools.send('Target.createBrowserContext'));
  const made = await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { targetId } = targetModel.parse(made);
  const attached = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const { sessionId } = attachedModel.parse(attached);
  const send = (method: string, parameters = {}) => devtools.send(method, parameters, sessionId);
  const traffic = new PageTraffic(targetId);
  const deafen = devtools.listen(({ method, params, sessionId: from }) => {
    if (from === sessionId) traffic.onEvent(method, params);
  });
  for (const domain of ['Page', 'Network', 'Runtime']) await send(`${domain}.enable`);
  return {
    go: (url) => goOn(url, send, traffic, options),
    close: async () => {
      deafen();
      await devtools.send('Target.disposeBrowserContext', { browserContextId });
    },
  };
}

const look = `({ url: location.href, html: document.documentElement.outerHTML, text: document.body?.innerText ?? '',
  state: document.readyState })`;

async function goOn(
  url: URL,
  send: (method: string, parameters?: object) => Promise<unknown>,
  traffic: PageTraffic,
  { instance, person, timeoutMilliseconds, signal }: VisitorOptions,
): Promise<Arrival> {
  const hostOf = (address: string): Host => (instance.has(new URL(address).origin) ? 'instance' : 'client');
  let began = systemStopwatch.read();
  traffic.begin();
  // Its response waits for the document. The events report what happens to that.
  send('Page.navigate', { url: url.href }).catch(() => {});
  for (let logins = 0; ; ) {
    await pause(lookMilliseconds, signal);
    const { broken, shown, at } = traffic;
    if (broken !== undefined) {
      const { url: address, cause } = broken;
      return { end: 'closed', at: hostOf(address), url: new URL(address), cause };
    }
    // A page that never stops loading is read in its current state.
    const isTimeOver = systemStopwatch.since(began) > timeoutMilliseconds;
    if (isTimeOver && traffic.isWaitingForDocument) {
      const address = at ?? url.href;
      return { end: 'late', at: hostOf(address), url: new URL(address) };
    }
    if (shown === undefined || (!isTimeOver && traffic.quietFor < quietMilliseconds)) continue;
    const seen = await seenNow(send);
    if (seen === undefined && isTimeOver) return { end: 'late', at: hostOf(shown.url), url: new URL(shown.url) };
    if (seen === undefined || (!isTimeOver && seen.state !== 'complete')) continue;
    // Chromium shows an error page instead of an empty response.
    const place = new URL(seen.url.startsWith('chrome-error:') ? shown.url : seen.url);
    const html = readHtml(seen.html, place);
    const host = hostOf(place.href);
    const step = host === 'instance' ? nextLoginStep(html, person) : undefined;
    if (step !== undefined && 'stuck' in step) return { end: 'stuck', url: place, reason: step.stuck };
    if (step !== undefined && logins < loginStepsMax) {
      logins += 1;
      began = systemStopwatch.read();
      traffic.begin();
      await send('Runtime.evaluate', { expression: filling(step.filled), userGesture: true });
      continue;
    }
    const { cookies } = cookiesModel.parse(await send('Network.getCookies', { urls: [place.href] }));
    const page = {
      ...{ url: place, status: shown.status, text: seen.text, hasScript: html.hasScript },
      cookieNames: cookies.map(({ name }) => name),
    };
    return { end: 'page', at: host, page };
  }
}

/** undefined: the page is navigating. */
async function seenNow(send: (method: string, parameters?: object) => Promise<unknown>) {
  try {
    const answer = await send('Runtime.evaluate', { expression: look, returnByValue: true });
    return seenModel.parse(answer).result.value;
  } catch {
    return undefined;
  }
}

/** Fills the fields, and presses the button of that name and value, or the first one of their form. */
function filling(filled: readonly (readonly [name: string, value: string])[]): string {
  return `(() => {
    let form, pressed;
    for (const [name, value] of ${JSON.stringify(filled)}) {
      const named = [...document.querySelectorAll('form [name]')].filter((each) => each.name === name);
      const field = named.find((each) => each.tagName === 'INPUT');
      const button = named.find((each) => each.tagName === 'BUTTON' && each.value === value);
      if (field) { field.value = value; field.dispatchEvent(new Event('input', { bubbles: true })); }
      pressed ??= field ? undefined : button;
      form ??= (field ?? button)?.form;
    }
    form?.requestSubmit(pressed);
  })()`;
}
