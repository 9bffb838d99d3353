// POST /register (RFC 7591, section DCR): anybody may register a client while the feature is on.
import type { ClientEntry } from '#shared/configuration/model/client-entry.ts';
import type { Registration } from '#shared/domain/runtime-identity.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import {
  asClientMetadata,
  type ClientMetadata,
  entryFromMetadata,
  invalidMetadata,
  readAuthMethod,
  readClientName,
  readGrantTypes,
} from '#shared/protocol/oauth2/client-metadata.ts';
import { supportedGrantTypes } from '#shared/protocol/oauth2/grant-types.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { hashOfAccessToken, registrationBody } from './registration-body.ts';

export async function register(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  try {
    // Read first: a reset or removal from here on interrupts this registration (DCR-21).
    const epoch = await context.store.identities.registrationEpoch();
    const metadata = readBody(request);
    const accessToken = context.random.token();
    const made = makeClient(metadata, accessToken, context);
    await store(made.entry, made.registration, epoch, request, context);
    return json(201, registrationBody(made.entry, made.registration, accessToken, context.issuer));
  } catch (error) {
    if (error instanceof OAuthError) await recordRefusal(error, request, context);
    throw error;
  }
}

function readBody({ mediaType, body }: ParsedRequest): ClientMetadata {
  if (mediaType !== 'application/json') {
    throw invalidMetadata('The client metadata must be a JSON object sent as application/json.');
  }
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw invalidMetadata('The body is not well-formed JSON.');
  }
  return asClientMetadata(value);
}

/** The readers run in the order of DCR-04. */
function makeClient(
  metadata: ClientMetadata,
  accessToken: string,
  { snapshot, random, clock }: RequestContext,
): { entry: ClientEntry; registration: Registration } {
  const grantTypes = readGrantTypes(metadata, supportedGrantTypes(snapshot.rules));
  const method = readAuthMethod(metadata);
  const clientId = `dcr-${random.token(16)}`;
  const entry = entryFromMetadata(metadata, snapshot.settings.oauth.scopes_supported, {
    client_id: clientId,
    token_endpoint_auth_method: method,
    ...(method === 'none' ? {} : { client_secret: random.token() }),
  });
  return {
    entry,
    registration: {
      client_id: clientId,
      accessTokenHash: hashOfAccessToken(accessToken),
      issuedAt: clock.now(),
      grant_types: grantTypes,
      client_name: readClientName(metadata),
    },
  };
}

async function store(
  entry: ClientEntry,
  registration: Registration,
  epoch: number,
  request: ParsedRequest,
  context: RequestContext,
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
    },
  });
  const { identities } = context.store;
  const outcome = await identities.register(entry, registration, maxClients, epoch, registration.issuedAt, event);
  if (outcome === 'registered') return;
  if (outcome === 'limit') {
    throw new OAuthError(
      'registration_limit_reached',
      `This server holds as many registrations as it may (${maxClients}); delete one and try again.`,
      { status: 429 },
    );
  }
  throw invalidMetadata('The registration was interrupted by a reset or a removal and left nothing behind; retry it.');
}

async function recordRefusal(error: OAuthError, request: ParsedRequest, context: RequestContext): Promise<void> {
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'client_registration_refused',
      endpoint: '/register',
      status: 'failed',
      details: { error: error.error, reason: error.reason },
    }),
  );
}
