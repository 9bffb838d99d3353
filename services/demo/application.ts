// The two applications at one address, and the handler of each path. They are an ordinary relying party and service
// provider, except that they link to their flow and their verdict.

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { readBounded } from '#shared/base/bounded-body.ts';
import { messageOf } from '#shared/base/error-text.ts';
import type { Logger } from '#shared/base/logger.ts';
import { type AssetName, assets } from '#shared/web/pages/assets.ts';
import { type Answer, pageAnswer, redirectAnswer, send } from './answers.ts';
import { Logins, type Result, type Visitor } from './logins.ts';
import { type Places, renderFailure, renderHome, renderOpenIdConnect, renderSaml } from './pages.tsx';
import { type ProviderApi, ProviderError } from './provider-api.ts';
import { type Registered, RelyingParty, type RelyingPartyContext } from './relying-party.ts';
import { type Provider, ServiceProvider } from './service-provider.ts';

export interface Demonstration {
  /** The address of the two applications, such as `http://127.0.0.1:41000`. */
  readonly url: string;
  /** The address of the provider. */
  readonly baseUrl: string;
  readonly client: Registered;
  readonly provider: Provider;
  readonly api: ProviderApi;
  readonly surroundings: RelyingPartyContext;
  readonly log: Pick<Logger, 'error' | 'info'>;
}

const bodyBytesMax = 1024 * 1024;

interface Visit {
  readonly message: IncomingMessage;
  readonly query: URLSearchParams;
  readonly visitor: Visitor;
}

type Step = (visit: Visit) => Promise<Answer> | Answer;

export function createDemonstration(options: Demonstration): Server {
  const { url, baseUrl, client, provider, api, surroundings, log } = options;
  const relyingParty = new RelyingParty(client, surroundings);
  const serviceProvider = new ServiceProvider(provider, surroundings);
  const logins = new Logins();
  // Cookies ignore ports, so each demonstration on this machine uses its own cookie name.
  const cookieName = `test_idp_demo_${new URL(url).port}`;
  const places: Places = { url, baseUrl, clientId: client.client_id, entityId: provider.entityId };

  const steps: Readonly<Record<string, Step>> = {
    'GET /': ({ visitor }) => pageAnswer(200, renderHome(places, visitor)),
    'GET /openid-connect': ({ visitor: { openidConnect } }) =>
      openidConnect === undefined ? redirectAnswer('/') : pageAnswer(200, renderOpenIdConnect(places, openidConnect)),
    async 'GET /openid-connect/login'({ visitor }) {
      await api.ensureClient(client);
      const issuer = await api.issuer();
      const { location, login } = await relyingParty.begin(issuer).catch((error: Error) => {
        if (issuer === baseUrl) throw error;
        const remedy = `oauth.issuer is ${issuer}. Set oauth.issuer_from_request: true to make it ${baseUrl}`;
        throw new Error(`${error.message}: ${remedy}`, { cause: error });
      });
      logins.pending.set(login.state, { visitor, login });
      return redirectAnswer(location);
    },
    async 'GET /openid-connect/callback'({ visitor, query }) {
      const begun = logins.pending.take(query.get('state') ?? '');
      if (begun === undefined || begun.visitor !== visitor)
        throw new Error('this browser has no login in progress for this response');
      delete visitor.openidConnect;
      const finished = relyingParty.finish(begun.login, query);
      visitor.openidConnect = await withFlow(finished, { client_id: client.client_id }, begun.login.state);
      return redirectAnswer('/openid-connect');
    },
    'GET /saml/metadata': () => {
      const headers = { 'Content-Type': 'application/samlmetadata+xml', 'X-Content-Type-Options': 'nosniff' };
      return { status: 200, headers, body: serviceProvider.metadata() };
    },
    'GET /saml': ({ visitor: { saml } }) =>
      saml === undefined ? redirectAnswer('/') : pageAnswer(200, renderSaml(places, saml)),
    async 'GET /saml/login'({ visitor }) {
      await api.ensureServiceProvider(provider);
      const { location, login } = await serviceProvider.begin(`${baseUrl}/saml/metadata`);
      logins.pendingSaml.set(login.requestId, { visitor, login });
      return redirectAnswer(location);
    },
    /**
     * A post from another site brings no cookie. The browser's next request shows that this browser began the login.
     */
    async 'POST /saml/acs'({ message }) {
      const form = new URLSearchParams(await bodyOf(message));
      const requestId = form.get('RelayState') ?? '';
      const begun = logins.pendingSaml.take(requestId);
      if (begun === undefined) throw new Error('no login is waiting for this response');
      const finished = serviceProvider.finish(begun.login, form.get('SAMLResponse') ?? '');
      const result = await withFlow(finished, { sp: provider.entityId }, requestId);
      logins.answered.set(requestId, { visitor: begun.visitor, result });
      return redirectAnswer(`/saml/finish?${new URLSearchParams({ request: requestId })}`);
    },
    'GET /saml/finish'({ visitor, query }) {
      const answered = logins.answered.take(query.get('request') ?? '');
      if (answered?.visitor !== visitor) throw new Error('this browser has no login in progress for this response');
      visitor.saml = answered.result;
      return redirectAnswer('/saml');
    },
  };

  /** The outcome, even a refusal, does not depend on whether the recorder is reachable. @throws RefusedAnswer */
  async function withFlow<Who>(
    finished: Promise<Who>,
    ...of: Parameters<ProviderApi['findFlow']>
  ): Promise<Result<Who>> {
    const [settled] = await Promise.allSettled([finished]);
    const flow = await api.findFlow(...of).catch(() => undefined);
    if (settled.status === 'rejected') throw new RefusedAnswer(messageOf(settled.reason), flow);
    return { who: settled.value, flow };
  }

  function visitorOf({ headers }: IncomingMessage): Visitor | undefined {
    const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim().split('='));
    const id = cookies.find(([name]) => name === cookieName)?.[1];
    return id === undefined ? undefined : logins.visitors.get(id);
  }

  async function answer(message: IncomingMessage): Promise<Answer> {
    const target = new URL(message.url ?? '/', url);
    const method = message.method === 'HEAD' ? 'GET' : message.method;
    if (method === 'GET' && target.pathname.startsWith('/static/')) return asset(target);
    if (`http://${message.headers.host}` !== url) {
      return pageAnswer(
        421,
        renderFailure(places, { status: 421, reason: `The demonstration is available only at ${url}.` }),
      );
    }
    const step = steps[`${method} ${target.pathname}`];
    if (step === undefined) {
      return pageAnswer(404, renderFailure(places, { status: 404, reason: 'This page does not exist.' }));
    }
    const known = visitorOf(message);
    const visitor = known ?? { id: surroundings.random() };
    try {
      const made = await step({ message, query: target.searchParams, visitor });
      if (known !== undefined || method !== 'GET') return made;
      logins.visitors.set(visitor.id, visitor);
      const cookie = `${cookieName}=${visitor.id}; Path=/; HttpOnly; SameSite=Lax`;
      return { ...made, headers: { ...made.headers, 'Set-Cookie': cookie } };
    } catch (error) {
      const reason = messageOf(error);
      log.info({ path: target.pathname, reason }, 'a login of the demonstration failed');
      const status = error instanceof ProviderError ? 503 : 400;
      const flow = error instanceof RefusedAnswer ? error.flow : undefined;
      return pageAnswer(status, renderFailure(places, { status, reason, flow }));
    }
  }

  return createServer((message, response) => {
    answer(message).then(
      (made) => send(response, made),
      (err: unknown) => {
        log.error({ err }, 'the demonstration could not respond');
        const failure = { status: 500, reason: 'An unexpected error occurred. The log has the details.' };
        send(response, pageAnswer(500, renderFailure(places, failure)));
      },
    );
  });
}

/** One of the applications rejected the provider's response. */
class RefusedAnswer extends Error {
  /** The flow in the provider's recorder, if recorded. */
  readonly flow: string | undefined;

  constructor(reason: string, flow: string | undefined) {
    super(reason);
    this.flow = flow;
  }
}

function asset({ pathname, searchParams }: URL): Answer {
  const found = assets.get(pathname.slice('/static/'.length) as AssetName);
  if (found === undefined) return { status: 404, headers: {}, body: '' };
  const isForGood = searchParams.get('v') === found.digest;
  const headers = {
    'Content-Type': found.mediaType,
    'Cache-Control': isForGood ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  };
  return { status: 200, headers, body: found.bytes };
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const { body, refusal } = await readBounded(message, { bytesMax: bodyBytesMax });
  if (refusal === 'too_large') throw new Error('the response is larger than 1 MiB');
  if (refusal !== undefined) throw new Error('the response arrives in too many small pieces');
  return body.toString('utf8');
}
