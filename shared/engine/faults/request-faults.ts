// The faults that one request may meet, and which of them fires: the first created one that can take effect, at most
// one (FLT-16, FLT-17). Each hook point of fault-row.ts is called in one place here. A change is tried on the value
// first and claimed afterwards, so that a fault that does not fire does not count. The claim in the store permits it
// (FLT-18).

import type { ActiveFault } from '#shared/engine/exchange/active-fault.ts';
import { cachedJson, replyWithCached } from '#shared/engine/exchange/cached-body.ts';
import type {
  AuthorizationResponse,
  Document,
  GrantedScope,
  OutputHooks,
} from '#shared/engine/exchange/output-hooks.ts';
import { html, json, type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { Signer } from '#shared/engine/tokens/signer.ts';
import { type DeviceGrant, isDeviceGrantLive } from '#shared/model/domain/device-grant.ts';
import type { Fault, FaultEndpoint } from '#shared/model/domain/fault.ts';
import { findGrant } from '#shared/model/oauth-rules/grants.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import type { DraftToken, FaultRow, FaultSite, FaultTransform } from './fault-row.ts';
import { recordingSigner, rewriteAll, rewriteToken, rewriteTokens, type SignedToken } from './rewrite-tokens.ts';

/** A fault whose conditions the request meets. */
export interface Candidate {
  readonly fault: Fault;
  readonly row: FaultRow;
  readonly transform: FaultTransform;
  readonly site: FaultSite;
}

interface FiringParts {
  /** In the order of their creation. */
  readonly candidates: readonly Candidate[];
  claim(id: string): Promise<boolean>;
  /** Takes a place among the delayed responses; undefined when all places are taken. */
  hold(): (() => void) | undefined;
  canRotateKey(): Promise<boolean>;
  /** Permanently rotates the namespace's key, and returns the new one. @throws KeyRotationRefusedError */
  rotateKey(): Promise<SigningKey>;
  /** The response for a rejection. */
  replyOf(error: unknown): Reply;
  readonly request: Pick<ParsedRequest, 'method' | 'headers'>;
}

export class RequestFaults implements ActiveFault {
  readonly #parts: FiringParts;
  readonly #signed: SignedToken[] = [];
  #fired: Candidate | undefined;
  #release: (() => void) | undefined;
  #settled = false;
  #isInEntry = false;
  #logoutTokens: Promise<unknown> = Promise.resolve();

  constructor(parts: FiringParts) {
    this.#parts = parts;
  }

  get fired(): Candidate | undefined {
    return this.#fired;
  }

  /** The audit has an entry that names the fired fault. */
  get isInEntry(): boolean {
    return this.#isInEntry;
  }

  /** Releases the place among the delayed responses, once the response is sent. */
  release(): void {
    this.#release?.();
  }

  /** Called before the endpoint. Returns the fault that replaces it. */
  async before(): Promise<Candidate | undefined> {
    for (const candidate of this.#parts.candidates) {
      if (isInVain(candidate)) continue;
      // The fault created first may still fire on the endpoint's output.
      if (candidate.row.phase === 'after' || firesInside(candidate)) return undefined;
      if (meets(candidate) && (await this.#fire(candidate))) return candidate;
    }
    return undefined;
  }

  /** The signer for the endpoint. It keeps what it signed, so that it can be signed again. */
  signer(signer: Signer): Signer {
    return recordingSigner(signer, this.#signed);
  }

  /** The hooks for the endpoint's output. */
  get outputHooks(): OutputHooks {
    return {
      authorizationRefusal: async () => {
        if (this.#fired !== undefined) return undefined;
        for (const candidate of this.#parts.candidates) {
          const { transform } = candidate;
          // The fault created first may still fire on the response.
          if (transform.hookPoint !== 'refusal') return undefined;
          if (await this.#fire(candidate)) return { error: transform.error, description: transform.description };
        }
        return undefined;
      },
      authorizationResponse: (response) =>
        this.#first(
          response,
          () => prospectOf(response),
          ({ transform, site }) =>
            transform.hookPoint === 'authorization_response' ? transform.change(response, site) : undefined,
        ),
      tokenResponse: (answer, granted) => this.#tokenResponse(answer, granted),
      deviceGrant: (grant) => this.#deviceGrant(grant),
      keepsRefreshToken: (isGood) => this.#keepsRefreshToken(isGood),
      registration: (entry) =>
        this.#first(
          entry,
          () => json(201, {}),
          ({ transform, site }) => (transform.hookPoint === 'registration' ? transform.change(entry, site) : undefined),
        ),
      samlAnswer: (answer, answerTools) =>
        this.#first(
          answer,
          () => html(200, answer.kind),
          ({ transform, site }) =>
            transform.hookPoint === 'saml' ? transform.change(answer, { ...site, answerTools }) : undefined,
        ),
      samlMetadata: (root) =>
        this.#first(
          root,
          () => html(200, root.local),
          ({ transform, site }) => (transform.hookPoint === 'saml_metadata' ? transform.change(root, site) : undefined),
        ),
      logoutToken: (compact) => {
        // Several clients are notified at the same time, and only one token is changed.
        const written = this.#logoutTokens.then(() => this.#logoutToken(compact));
        this.#logoutTokens = written.catch(() => {});
        return written;
      },
      samlLogoutRequest: (root) =>
        this.#first(
          root,
          () => html(200, root.local),
          ({ transform, site }) =>
            transform.hookPoint === 'saml_logout_request' ? transform.change(root, site) : undefined,
        ),
      logout: (destination) =>
        this.#first(
          destination,
          () => redirect(destination.address ?? ''),
          ({ transform, site }) => (transform.hookPoint === 'logout' ? transform.change(destination, site) : undefined),
        ),
      document: (document, mediaType = 'application/json') =>
        this.#first(
          document,
          ({ endpoint }) => this.#documentAsAnswer(document, endpoint, mediaType),
          ({ transform, site }) =>
            transform.hookPoint === 'document' ? transform.change(document, { ...site, mediaType }) : undefined,
        ),
    };
  }

  async settle(answer: { readonly reply: Reply } | { readonly error: unknown }): Promise<void> {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#fired !== undefined) return;
    const reply = 'reply' in answer ? answer.reply : this.#parts.replyOf(answer.error);
    for (const candidate of this.#parts.candidates) {
      const { row, transform, site } = candidate;
      const takesEffect =
        transform.hookPoint === 'sending'
          ? this.#changes(transform, reply, site)
          : // The endpoint rejected the request, so the state is as if the request had not been made.
            row.phase === 'before' && !firesInside(candidate) && reply.status >= 400 && meets(candidate);
      if (takesEffect && (await this.#fire(candidate))) return;
    }
  }

  forEntry(): Readonly<Record<string, unknown>> | undefined {
    if (this.#fired === undefined) return undefined;
    this.#isInEntry = true;
    return { fault: { name: this.#fired.row.name, id: this.#fired.fault.id } };
  }

  async #tokenResponse(answer: Document, granted: GrantedScope): Promise<Document> {
    const kept = this.#fired;
    if (kept?.transform.hookPoint === 'refresh_token_kept') return kept.transform.change(answer, kept.site) ?? answer;
    const changed = await this.#first(
      answer,
      () => json(200, answer),
      async ({ transform, site }) => {
        if (transform.hookPoint === 'token_response') return transform.change(answer, site);
        if (transform.hookPoint === 'key_rotation') return (await this.#parts.canRotateKey()) ? answer : undefined;
        if (transform.hookPoint === 'granted_scope') {
          const left = transform.left(granted.scope);
          return left === undefined ? undefined : granted.without(left);
        }
        return transform.hookPoint === 'token' ? rewriteTokens(answer, this.#signed, transform, site) : undefined;
      },
    );
    if (this.#fired === undefined) return changed;
    const { transform, site } = this.#fired;
    if (transform.hookPoint === 'token_response' && transform.refuse !== undefined) throw await transform.refuse(site);
    if (transform.hookPoint !== 'key_rotation') return changed;
    const key = await this.#parts.rotateKey();
    const ofNewKey = ({ header, claims }: DraftToken) => ({ claims, header: { ...header, kid: key.kid } });
    return rewriteAll(answer, this.#signed, ofNewKey, key);
  }

  async #logoutToken(compact: string): Promise<string> {
    if (this.#fired !== undefined) return compact;
    for (const candidate of this.#parts.candidates) {
      const { transform, site } = candidate;
      // The fault created first may still fire on the response.
      if (transform.hookPoint !== 'logout_token') return compact;
      const changed = await rewriteToken(compact, this.#signed, (token) => transform.change(token, site));
      if (changed !== undefined && (await this.#fire(candidate))) return changed;
    }
    return compact;
  }

  /** Decided before the token is used, because its use cannot be undone. */
  async #keepsRefreshToken(isGood: () => Promise<boolean>): Promise<boolean> {
    for (const candidate of this.#parts.candidates) {
      // The fault created first may still fire on the response.
      if (candidate.transform.hookPoint !== 'refresh_token_kept') return false;
      if ((await isGood()) && (await this.#fire(candidate))) return true;
    }
    return false;
  }

  async #deviceGrant(grant: DeviceGrant): Promise<DeviceGrant> {
    for (const candidate of this.#parts.candidates) {
      const { transform, site } = candidate;
      if (transform.hookPoint !== 'device_grant') {
        // The fault created first may still fire on the response. A pending grant issues no tokens.
        if (transform.hookPoint === 'sending' || grant.decision.state !== 'pending') return grant;
        continue;
      }
      if (!isDeviceGrantLive(grant, site.now) || !(await this.#fire(candidate))) continue;
      if (transform.how === 'slow_down') throw await slowedDown(grant, site);
      return (await site.store.deviceGrants.interfere(grant.device_code, transform.how, site.now)) ?? grant;
    }
    return grant;
  }

  /** Applies the first fault that can take effect to a value. `prospect`: how the value will be sent. */
  async #first<Value, Changed>(
    value: Value,
    prospect: (site: FaultSite) => Reply,
    attempt: (candidate: Candidate) => Changed | undefined | Promise<Changed | undefined>,
  ): Promise<Value | Changed> {
    if (this.#fired !== undefined) return value;
    for (const candidate of this.#parts.candidates) {
      const { transform, site } = candidate;
      // It changes how any response is sent. Settled here, because it was created first.
      if (transform.hookPoint === 'sending') {
        if (this.#changes(transform, prospect(site), site) && (await this.#fire(candidate))) return value;
        continue;
      }
      // The response to a HEAD has no body, so it does not contain the value.
      if (this.#parts.request.method === 'HEAD') continue;
      const changed = await attempt(candidate);
      if (changed !== undefined && (await this.#fire(candidate))) return changed;
    }
    return value;
  }

  /** In the response to a HEAD only the status and headers can change. */
  #changes({ change }: Extract<FaultTransform, { hookPoint: 'sending' }>, reply: Reply, site: FaultSite): boolean {
    const sent = this.#parts.request.method === 'HEAD' ? { ...reply, body: '' } : reply;
    return change(sent, site) !== undefined;
  }

  /** A client that has the current document gets 304 without a body (FLT-17). */
  #documentAsAnswer(document: Document, endpoint: FaultEndpoint, mediaType: string): Reply {
    if (mediaType !== 'application/json') {
      return { status: 200, headers: { 'Content-Type': mediaType }, body: JSON.stringify(document) };
    }
    const isCached = endpoint === 'discovery' || endpoint === 'jwks';
    return isCached ? replyWithCached(cachedJson(document), this.#parts.request) : json(200, document);
  }

  async #fire(candidate: Candidate): Promise<boolean> {
    const { fault, row } = candidate;
    const release = row.holdsAnswer === true || delayOf(fault) > 0 ? this.#parts.hold() : noRelease;
    if (release === undefined) return false;
    if (!(await this.#parts.claim(fault.id))) {
      release();
      return false;
    }
    this.#fired = candidate;
    this.#release = release;
    return true;
  }
}

const noRelease = () => {};

/**
 * The poll counts, so that a client that keeps its interval gets slow_down again. A poll that came too early has
 * already increased the interval.
 */
async function slowedDown({ device_code }: DeviceGrant, { store, now }: FaultSite): Promise<Error> {
  const noted = await store.deviceGrants.notePoll(device_code, now);
  if (noted !== 'slow_down') await store.deviceGrants.interfere(device_code, 'slow_down', now);
  return oauthError(tokenRefusals.device_polled_too_soon);
}

/**
 * The request already shows that no token will be issued that the fault could change, so the next fault need not wait.
 */
function isInVain({ transform, site: { facts } }: Candidate): boolean {
  if (transform.hookPoint !== 'token' || transform.use === 'access') return false;
  if (findGrant(facts.grant_type)?.hasNoUser === true) return true;
  return transform.use === 'id' && facts.scope?.includes('openid') === false;
}

function meets({ transform, site }: Candidate): boolean {
  return transform.hookPoint !== 'refusal' || transform.meets?.(site.facts) !== false;
}

/** The parameter that every fault has (FLT-10), in milliseconds. */
export function delayOf({ parameters }: Pick<Fault, 'parameters'>): number {
  const { delay_ms } = parameters;
  return typeof delay_ms === 'number' ? delay_ms : 0;
}

/** /authorize sends errors to the client, once the request is known to be valid. */
export function isSentToClient({ transform, site }: Candidate): boolean {
  return transform.hookPoint === 'refusal' && site.endpoint === 'authorize';
}

/** It does not replace the endpoint. It fires within, where the endpoint knows what the request refers to. */
function firesInside(candidate: Candidate): boolean {
  return isSentToClient(candidate) || candidate.transform.hookPoint === 'device_grant';
}

function prospectOf({ mode, redirectUri }: AuthorizationResponse): Reply {
  return mode === 'query' ? redirect(redirectUri) : html(200, redirectUri);
}
