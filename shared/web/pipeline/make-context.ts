// Makes the context of one request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Instant } from '#shared/base/clock.ts';
import { effectiveAddresses } from '#shared/engine/exchange/issuer.ts';
import type { Namespace } from '#shared/engine/exchange/namespace.ts';
import { noHooks } from '#shared/engine/exchange/output-hooks.ts';
import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import {
  type BrowserSession,
  browserSession,
  cookieAtPort,
  readSessionCookie,
  type SessionContent,
  type SessionCookie,
  sessionCookieValue,
  withoutGrant,
  withoutOldGrant,
} from '#shared/engine/exchange/session-cookie.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';
import { basePathOf } from '#shared/protocol/oidc/issuer-address.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import { ClientGoneError } from './incoming-request.ts';

interface ContextParts {
  readonly snapshot: ConfigurationSnapshot;
  /** The clock of this request. */
  readonly clock: MovableClock;
}

export function makeContext(exchange: Exchange, { snapshot, clock }: ContextParts): ManagementContext {
  const { message, response, requestId, recording, namespace, frontend } = exchange;
  const { home, services, rules, relayed, wire, paths } = frontend;
  const { origin, clientAddress } = rules.originOf(message, relayed);
  const basePath = basePathOf(snapshot.settings.oauth.issuer);
  const isSecure = origin?.startsWith('https:') === true;
  // Below a base path, a namespace has several paths.
  const cookieOf = ({ sessionCookie: { name, path } }: Namespace) =>
    cookieAtPort({ name, path: basePath === '' ? path : '/' }, origin);
  const open = (of: Namespace) => openSession(message, of, frontend, { clock, sessionCookie: cookieOf(of), isSecure });
  let session: Promise<BrowserSession> | undefined;
  let managementSession: Promise<BrowserSession> | undefined;
  let gone: AbortSignal | undefined;
  const context: ManagementContext = {
    requestId,
    snapshot,
    ...effectiveAddresses(snapshot.settings.oauth, origin, namespace.prefix),
    path: (path) => basePath + namespace.path(path),
    requestOrigin: origin ?? new URL(snapshot.settings.oauth.issuer).origin,
    clientAddress,
    userAgent: message.headers['user-agent'],
    cors: rules.cors,
    limitsRate: rules.rate !== undefined,
    clock,
    random: services.random,
    stopwatch: services.stopwatch,
    held: wire.held,
    disconnected() {
      gone ??= goneSignal(response);
      return gone;
    },
    store: namespace.store,
    audit: namespace.audit,
    keys: namespace.keys,
    signer: namespace.signer,
    outputHooks: noHooks,
    recording,
    configuration: services.configuration,
    log: namespace.log,
    boundHost: services.boundHost,
    demoUrl: namespace.sandbox === undefined ? services.demoUrl : undefined,
    tls: services.tls,
    sessionCookie: cookieOf(namespace),
    sandbox: namespace.sandbox,
    sandboxes: services.sandboxes,
    cluster: services.cluster,
    // The default identity provider reaches all paths, those of sandboxes included.
    reaches: (path) => namespace.sandbox === undefined || paths.sandbox.has(path.split('?', 1)[0] ?? path),
    session() {
      session ??= open(namespace);
      return session;
    },
    managementSession() {
      if (namespace.sandbox === undefined) return context.session();
      managementSession ??= open(home);
      return managementSession;
    },
  };
  return context;
}

function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableEnded) controller.abort(new ClientGoneError('the client went away'));
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return controller.signal;
}

interface SessionParts extends Pick<ContextParts, 'clock'> {
  readonly sessionCookie: SessionCookie;
  readonly isSecure: boolean;
}

async function openSession(
  message: IncomingMessage,
  { store, sandbox }: Namespace,
  { services, rules }: Pick<FrontendParts, 'services' | 'rules'>,
  { clock, sessionCookie, isSecure }: SessionParts,
): Promise<BrowserSession> {
  // A cookie of one sandbox is invalid in another, and in a later one with the same name (SBX-14, SBX-29).
  const declaredSecret = sandbox === undefined ? rules.declaredCookieSecret : undefined;
  const secret = declaredSecret ?? (await store.sharedSecrets.get('session-cookie', () => services.random.token(32)));
  const value = sessionCookieValue(message.headers.cookie, sessionCookie.name);
  const sent = value === undefined ? undefined : readSessionCookie(value, secret);
  const grant = { id: services.random.token(16), at: clock.real() };
  if (sent === undefined) {
    const content = { browser: services.random.token(24) };
    return browserSession(content, false, secret, isSecure, sessionCookie, grant);
  }
  const content = withoutOldGrant(withoutLaterLogin(sent, clock.now()), clock.real());
  const isEnded = content.grant !== undefined && (await store.tokenState.isCookieEnded(content.grant.id));
  const present = isEnded ? withoutGrant(content) : content;
  return browserSession(present, true, secret, isSecure, sessionCookie, grant);
}

/** A login in the future of the clock, which was moved back since, does not count (TIM-23). */
function withoutLaterLogin(content: SessionContent, now: Instant): SessionContent {
  const isLater = content.login !== undefined && content.login.at > now;
  return isLater ? { ...content, login: undefined } : content;
}
