// POST /register (RFC 7591, section DCR): any caller may register a client while the feature is on.

import { audited } from '#shared/engine/exchange/audited.ts';
import { isCrossSiteWrite } from '#shared/engine/exchange/cross-site.ts';
import { jsonOf } from '#shared/engine/exchange/json-body.ts';
import { documentReply, hooked } from '#shared/engine/exchange/output-hooks.ts';
import { auditEvent, type ParsedRequest, type ProtocolContext } from '#shared/engine/exchange/request.ts';
import { hasSecret } from '#shared/model/configuration/client-authentication.ts';
import { type ClientEntry, clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { crossSiteRegistrationsMax } from '#shared/model/domain/dynamic-registration.ts';
import type { Registration } from '#shared/model/domain/runtime-identity.ts';
import { announcedGrantTypes } from '#shared/model/oauth-rules/announced-grant-types.ts';
import {
  asClientMetadata,
  type ClientMetadata,
  droppedScopes,
  entryFromMetadata,
  readAuthMethod,
  readClientName,
  readGrantTypes,
  readPostLogoutRedirectUris,
  readResponseTypes,
} from '#shared/model/oauth-rules/client-metadata.ts';
import { registrationRefusals } from '#shared/model/refusals/families/registration.ts';
import { OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { checkFullClient, readFullMetadata } from './full-metadata.ts';
import { hashOfAccessToken, registrationBody } from './registration-body.ts';

/** The audit event of a registration is stored together with it (decision 5). */
export const register = audited(
  { event_type: 'client_registration_refused', endpoint: '/register' },
  async (request, context, note) => {
    try {
      // Read first: a later reset or removal interrupts this registration (DCR-21).
      const epoch = await context.store.identities.registrationEpoch();
      const metadata = readBody(request);
      const accessToken = context.random.token();
      const { entry: plain, registration } = makeClient(metadata, accessToken, context);
      const byForeignPage = isCrossSiteWrite(request, context) ? ({ byForeignPage: true } as const) : {};
      const made = { entry: plain, registration: { ...registration, ...byForeignPage } };
      if (context.fault !== undefined) await refuseAtLimit(made.registration, context);
      const entry = await hooked(made.entry, context.outputHooks.registration);
      const dropped = droppedScopes(metadata, plain);
      const stored = registrationBody(entry, made.registration, accessToken, context);
      const body = { ...stored, ...(dropped.length > 0 ? { dropped_scope: dropped.join(' ') } : {}) };
      const reply = await documentReply(201, body, context.outputHooks);
      // The event names the fault that fires (FLT-29), and is stored before the response is sent.
      await context.fault?.settle({ reply });
      await store({ entry, registration: made.registration, dropped }, epoch, request, context);
      return reply;
    } catch (error) {
      if (error instanceof OAuthError) note.onRejection({ error: error.error });
      throw error;
    }
  },
);

function readBody({ mediaType, body }: ParsedRequest): ClientMetadata {
  if (mediaType !== 'application/json') {
    throw oauthError(registrationRefusals.metadata_media_type_wrong);
  }
  let value: unknown;
  try {
    value = jsonOf(body);
  } catch {
    throw oauthError(registrationRefusals.metadata_not_json);
  }
  return asClientMetadata(value);
}

/** The readers run in the order of DCR-04. */
function makeClient(
  metadata: ClientMetadata,
  accessToken: string,
  { snapshot, random, clock }: ProtocolContext,
): { entry: ClientEntry; registration: Registration } {
  const { oauth } = snapshot.settings;
  const isFull = oauth.dynamic_registration.metadata === 'full';
  const grantTypes = readGrantTypes(metadata, announcedGrantTypes(snapshot));
  const responseTypes = readResponseTypes(metadata, [...new Set(oauth.response_types)]);
  const method = readAuthMethod(metadata, isFull);
  const postLogoutRedirectUris = readPostLogoutRedirectUris(metadata, snapshot.rules);
  const clientId = `dcr-${random.token(16)}`;
  const described = entryFromMetadata(metadata, snapshot, {
    client_id: clientId,
    token_endpoint_auth_method: method,
    ...(hasSecret({ token_endpoint_auth_method: method }) ? { client_secret: random.token() } : {}),
  });
  const full = isFull ? readFullMetadata(metadata) : undefined;
  const entry = clientEntryModel.parse({
    ...described,
    ...full?.entry,
    post_logout_redirect_uris: [...postLogoutRedirectUris],
  });
  if (full !== undefined) checkFullClient(entry, snapshot.settings);
  return {
    entry,
    registration: {
      client_id: clientId,
      accessTokenHash: hashOfAccessToken(accessToken),
      issuedAt: clock.now(),
      grant_types: grantTypes,
      client_name: readClientName(metadata),
      ...(full === undefined ? {} : { further: { ...full.further, response_types: responseTypes } }),
    },
  };
}

/**
 * Checked before a fault fires on a response that would never be sent (FLT-17). The store checks again, across all
 * processes.
 */
async function refuseAtLimit(
  { byForeignPage }: Registration,
  { store: { identities }, snapshot }: ProtocolContext,
): Promise<void> {
  const { max_clients: maxClients } = snapshot.settings.oauth.dynamic_registration;
  const live = (await identities.listClients()).filter(({ registration }) => registration !== undefined);
  if (live.length >= maxClients) throw limitReached(maxClients);
  const ofForeignPages = live.filter(({ registration }) => registration?.byForeignPage).length;
  if (byForeignPage && ofForeignPages >= crossSiteRegistrationsMax(maxClients)) throw limitOfPagesReached(maxClients);
}

function limitReached(clientsMax: number): OAuthError {
  return oauthError(registrationRefusals.registration_limit_reached, { clientsMax });
}

function limitOfPagesReached(clientsMax: number): OAuthError {
  const most = crossSiteRegistrationsMax(clientsMax);
  return oauthError(registrationRefusals.registration_limit_of_pages_reached, { most, clientsMax });
}

interface MadeClient {
  readonly entry: ClientEntry;
  readonly registration: Registration;
  /** Scopes that were sent and are not stored (UNK-05). */
  readonly dropped: readonly string[];
}

async function store(
  { entry, registration, dropped }: MadeClient,
  epoch: number,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<void> {
  const { max_clients: maxClients } = context.snapshot.settings.oauth.dynamic_registration;
  const event = auditEvent(request, context, {
    event_type: 'client_registered',
    endpoint: '/register',
    status: 'success',
    client_id: entry.client_id,
    details: {
      token_endpoint_auth_method: entry.token_endpoint_auth_method,
      grant_types: registration.grant_types,
      ...(dropped.length > 0 ? { dropped_scopes: dropped } : {}),
      ...context.fault?.forEntry(),
    },
  });
  const { identities } = context.store;
  const outcome = await identities.register(entry, registration, maxClients, epoch, registration.issuedAt, event);
  if (outcome === 'registered') return;
  if (outcome === 'limit') throw limitReached(maxClients);
  if (outcome === 'limit_of_foreign_pages') throw limitOfPagesReached(maxClients);
  throw oauthError(registrationRefusals.registration_interrupted);
}
