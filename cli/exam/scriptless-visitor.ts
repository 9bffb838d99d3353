// A browser without script: redirects, cookies, self-submitting forms, and the login pages of the identity provider
// (EXM-17).
import { systemClock } from '#shared/base/clock.ts';
import { CookieJar } from './cookie-jar.ts';
import { type HtmlForm, readHtml } from './html-page.ts';
import { nextLoginStep } from './login-pages.ts';
import { NoAnswerError, sendRequestAnywhere } from './send-request.ts';
import {
  type Arrival,
  type Host,
  loginStepsMax,
  pagesMax,
  redirectsMax,
  type Visit,
  type Visitor,
  type VisitorOptions,
} from './visitor.ts';

export function scriptlessVisitor(options: VisitorOptions): Visitor {
  return { begin: async () => scriptlessVisit(options), close: async () => {} };
}

interface Wanted {
  readonly url: URL;
  readonly form?: string | undefined;
}

function scriptlessVisit({ instance, person, timeoutMilliseconds, insecure, signal }: VisitorOptions): Visit {
  const jar = new CookieJar();
  const hostOf = (url: URL): Host => (instance.has(url.origin) ? 'instance' : 'client');

  const ask = async ({ url, form }: Wanted) => {
    const cookies = jar
      .for(url)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const answer = await sendRequestAnywhere(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        'User-Agent': 'test-idp-exam',
        ...(cookies === '' ? {} : { Cookie: cookies }),
        ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...{ body: form, timeoutMilliseconds, insecure, signal },
    });
    for (const line of answer.headers['set-cookie'] ?? []) jar.keep(url, line, systemClock.now());
    return answer;
  };

  const go = async (start: URL): Promise<Arrival> => {
    let next: Wanted = { url: start };
    let [redirects, pages, logins] = [0, 0, 0];
    for (;;) {
      const { url } = next;
      let answer: Awaited<ReturnType<typeof ask>>;
      try {
        answer = await ask(next);
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        return { end: error.why, at: hostOf(url), url, cause: error.message };
      }
      const { status, headers, body } = answer;
      const { location } = headers;
      if (status >= 300 && status < 400 && location !== undefined && URL.canParse(location, url.href)) {
        redirects += 1;
        if (redirects > redirectsMax) return { end: 'stuck', url, reason: `more than ${redirectsMax} redirects` };
        const keeps = status === 307 || status === 308;
        next = { url: withoutFragment(new URL(location, url)), form: keeps ? next.form : undefined };
        if (!/^https?:$/.test(next.url.protocol)) {
          return { end: 'stuck', url, reason: `a redirect to the scheme ${next.url.protocol}` };
        }
        continue;
      }
      const isHtml = /html/i.test(headers['content-type'] ?? 'text/html');
      const html = isHtml ? readHtml(body, url) : undefined;
      pages += 1;
      if (pages > pagesMax) return { end: 'stuck', url, reason: 'too many pages that submit themselves' };
      const at = hostOf(url);
      // A SAML login page also has a hidden form, with which the user cancels.
      const step = at === 'instance' && html !== undefined ? nextLoginStep(html, person) : undefined;
      if (step !== undefined && 'stuck' in step) return { end: 'stuck', url, reason: step.stuck };
      if (step !== undefined && logins < loginStepsMax) {
        logins += 1;
        next = sent(step.form, step.filled);
        continue;
      }
      if (html?.sendsItself !== undefined && step === undefined) {
        next = sent(html.sendsItself, []);
        continue;
      }
      if (html?.refreshesTo !== undefined) {
        next = { url: withoutFragment(html.refreshesTo) };
        continue;
      }
      const cookieNames = jar.for(url).map(({ name }) => name);
      const page = { url, status, text: html?.text ?? body, cookieNames, hasScript: html?.hasScript ?? false };
      return { end: 'page', at, page };
    }
  };
  return { go, close: async () => {} };
}

/** The form's content, with these fields replacing its own. */
function sent({ action, method, fields }: HtmlForm, filled: HtmlForm['fields']): Wanted {
  const kept = fields.filter(([name]) => filled.every(([other]) => other !== name));
  const form = new URLSearchParams([...kept, ...filled].map(([name, value]) => [name, value])).toString();
  if (method === 'post') return { url: withoutFragment(action), form };
  const url = withoutFragment(action);
  url.search = form;
  return { url };
}

function withoutFragment(url: URL): URL {
  const bare = new URL(url);
  bare.hash = '';
  return bare;
}
