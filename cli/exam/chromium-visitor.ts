// The same logins in an installed Chromium, for applications that need script (EXM-19). Each visit is a browser context of its
// own; where it is, is read from what the page loads, and never guessed from time alone.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as z from 'zod';
import { systemStopwatch } from '#shared/clock.ts';
import { type Devtools, devtoolsOver } from './devtools-pipe.ts';
import { ExamError } from './exam-error.ts';
import { readHtml } from './html-page.ts';
import { nextLoginStep } from './login-pages.ts';
import { pause } from './pause.ts';
import { type Arrival, type Host, loginStepsMax, type Visit, type Visitor, type VisitorOptions } from './visitor.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];

/** @throws ExamError naming what is missing */
export function findChromium(): string {
  const { env: environment } = process;
  const named = environment.CHROME_PATH;
  const directories = (environment.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  const places =
    named === undefined || named === '' ? directories.flatMap((one) => names.map((name) => join(one, name))) : [named];
  const found = places.find(isExecutable);
  if (found !== undefined) return found;
  throw new ExamError(
    `--browser needs an installed Chromium: none of ${names.join(', ')} is on the PATH; install one or name it with CHROME_PATH`,
  );
}

export async function chromiumVisitor(options: VisitorOptions): Promise<Visitor> {
  const profile = mkdtempSync(join(tmpdir(), 'test-idp-exam-'));
  const child = spawn(
    findChromium(),
    [
      '--headless=new',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      '--disable-sync',
      // Chromium has no sandbox of its own for root, as whom containers run.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...(options.insecure ? ['--ignore-certificate-errors'] : []),
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const end = async () => {
    await ended(child);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const devtools = devtoolsOver(child);
    await Promise.race([
      devtools.send('Browser.getVersion'),
      new Promise<never>((_resolve, reject) => child.once('error', reject)),
    ]);
    return { begin: () => beginVisit(devtools, options), close: end };
  } catch (error) {
    await end();
    throw new ExamError(`Chromium does not start: ${error instanceof Error ? error.message : error}`);
  }
}

const contextModel = z.looseObject({ browserContextId: z.string() });
const targetModel = z.looseObject({ targetId: z.string() });
const attachedModel = z.looseObject({ sessionId: z.string() });
const responseModel = z.looseObject({
  requestId: z.string(),
  type: z.string().optional(),
  frameId: z.string().optional(),
  response: z.looseObject({ url: z.string(), status: z.number() }),
});
const requestModel = z.looseObject({
  requestId: z.string(),
  loaderId: z.string(),
  type: z.string().optional(),
  frameId: z.string().optional(),
  request: z.looseObject({ url: z.string() }),
});
const navigatedModel = z.looseObject({ frame: z.looseObject({ id: z.string(), loaderId: z.string() }) });
const endModel = z.looseObject({
  requestId: z.string(),
  canceled: z.boolean().optional(),
  errorText: z.string().optional(),
});
const seenModel = z.looseObject({
  result: z.looseObject({
    value: z.looseObject({ url: z.string(), html: z.string(), text: z.string(), state: z.string() }).optional(),
  }),
});
const cookiesModel = z.looseObject({ cookies: z.array(z.looseObject({ name: z.string() })) });

/** Nothing is under way for so long: whatever a script wanted to begin has begun. */
const quietMilliseconds = 300;
const lookMilliseconds = 50;

async function beginVisit(devtools: Devtools, options: VisitorOptions): Promise<Visit> {
  const { browserContextId } = contextModel.parse(await devtools.send('Target.createBrowserContext'));
  const made = await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { targetId } = targetModel.parse(made);
  const attached = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const { sessionId } = attachedModel.parse(attached);
  const send = (method: string, parameters = {}) => devtools.send(method, parameters, sessionId);
  const traffic = new Traffic(targetId);
  const deafen = devtools.listen(({ method, params, sessionId: from }) => {
    if (from === sessionId) traffic.hear(method, params);
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

/** What is under way in one page. The id of its target is that of its main frame, too. */
class Traffic {
  readonly #mainFrame: string;
  /** By their ids, with the document that they are for. */
  readonly #underWay = new Map<string, string>();
  #changedAt = systemStopwatch.read();
  #document: { readonly requestId: string; readonly url: string } | undefined;
  /** The last document that the page is. */
  shown: { readonly url: string; readonly status: number } | undefined;
  /** The document that was asked for last did not come. */
  broken: { readonly url: string; readonly cause: string } | undefined;

  constructor(mainFrame: string) {
    this.#mainFrame = mainFrame;
  }

  get quietFor(): number {
    return this.#underWay.size > 0 ? 0 : systemStopwatch.since(this.#changedAt);
  }

  get isWaitingForDocument(): boolean {
    return this.#document !== undefined || this.shown === undefined;
  }

  /** The address that is waited for, or the page. */
  get at(): string | undefined {
    return this.#document?.url ?? this.shown?.url;
  }

  begin(): void {
    this.#changedAt = systemStopwatch.read();
    this.broken = undefined;
  }

  hear(method: string, parameters: unknown): void {
    switch (method) {
      case 'Network.requestWillBeSent': {
        const { requestId, loaderId, type, frameId, request } = requestModel.parse(parameters);
        this.#underWay.set(requestId, loaderId);
        if (type === 'Document' && frameId === this.#mainFrame) {
          this.#document = { requestId, url: request.url };
          this.broken = undefined;
        }
        break;
      }
      case 'Network.responseReceived': {
        const { requestId, response } = responseModel.parse(parameters);
        if (this.#document?.requestId === requestId) this.shown = { url: response.url, status: response.status };
        return;
      }
      case 'Network.loadingFinished':
      case 'Network.loadingFailed': {
        const { requestId, canceled, errorText = '' } = endModel.parse(parameters);
        this.#underWay.delete(requestId);
        if (this.#document?.requestId === requestId) {
          // A page that went on before it had come whole is not broken.
          if (method === 'Network.loadingFailed' && canceled !== true) {
            this.broken = { url: this.#document.url, cause: errorText };
          }
          this.#document = undefined;
        }
        break;
      }
      case 'Page.frameNavigated': {
        const { id, loaderId } = navigatedModel.parse(parameters).frame;
        // What a page had still asked for ends with it, and nobody says so.
        for (const [requestId, of] of this.#underWay) {
          if (id === this.#mainFrame && of !== loaderId) this.#underWay.delete(requestId);
        }
        break;
      }
      case 'Page.frameStartedLoading':
        break;
      default:
        return;
    }
    this.#changedAt = systemStopwatch.read();
  }
}

const look = `({ url: location.href, html: document.documentElement.outerHTML, text: document.body?.innerText ?? '',
  state: document.readyState })`;

async function goOn(
  url: URL,
  send: (method: string, parameters?: object) => Promise<unknown>,
  traffic: Traffic,
  { instance, person, timeoutMilliseconds, signal }: VisitorOptions,
): Promise<Arrival> {
  const hostOf = (address: string): Host => (instance.has(new URL(address).origin) ? 'instance' : 'client');
  let began = systemStopwatch.read();
  traffic.begin();
  // Its answer waits for the document; what becomes of that is heard beside it.
  send('Page.navigate', { url: url.href }).catch(() => {});
  for (let logins = 0; ; ) {
    await pause(lookMilliseconds, signal);
    const { broken, shown, at } = traffic;
    if (broken !== undefined) {
      const { url: address, cause } = broken;
      return { end: 'closed', at: hostOf(address), url: new URL(address), cause };
    }
    // A page that never stops asking is looked at as it then is.
    const isTimeOver = systemStopwatch.since(began) > timeoutMilliseconds;
    if (isTimeOver && traffic.isWaitingForDocument) {
      const address = at ?? url.href;
      return { end: 'late', at: hostOf(address), url: new URL(address) };
    }
    if (shown === undefined || (!isTimeOver && traffic.quietFor < quietMilliseconds)) continue;
    const seen = await seenNow(send);
    if (seen === undefined && isTimeOver) return { end: 'late', at: hostOf(shown.url), url: new URL(shown.url) };
    if (seen === undefined || (!isTimeOver && seen.state !== 'complete')) continue;
    // Chromium shows a page of its own in place of an empty answer.
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

/** undefined: the page is on its way elsewhere. */
async function seenNow(send: (method: string, parameters?: object) => Promise<unknown>) {
  try {
    const answer = await send('Runtime.evaluate', { expression: look, returnByValue: true });
    return seenModel.parse(answer).result.value;
  } catch {
    return undefined;
  }
}

/** Types into the fields, and presses the button of that name and value or the first one of their form. */
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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const endMilliseconds = 5000;

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), endMilliseconds);
  await closed;
  clearTimeout(impatience);
}
