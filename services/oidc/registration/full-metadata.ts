// The additional members of a registration with oauth.dynamic_registration.metadata: full (OIDC Registration §2,
// SSO-49, LGO-03). Some have the same effect as in a client entry. The others are only validated and returned. Pure.

import * as z from 'zod';
import { clientDemands } from '#shared/model/configuration/client-demands.ts';
import {
  type ClientEntry,
  checkClientEntry,
  clientEntryModel,
  problemOfClientKeys,
} from '#shared/model/configuration/client-entry.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { problemOfHttpsUrl, problemOfHttpUrl } from '#shared/model/configuration/text-formats.ts';
import { judged, oneOf, texts } from '#shared/model/configuration/value-kinds.ts';
import type { ClientMetadata } from '#shared/model/oauth-rules/client-metadata.ts';
import { registrationRefusals } from '#shared/model/refusals/families/registration.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { signingAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { isAllowedHost, parseClientIdUrl } from '#shared/protocol/oauth2/client-id-url.ts';

type Further = Readonly<Record<string, string | readonly string[]>>;

/** The members that the model of a client entry reads. */
const entryMembers = {
  default_max_age: true,
  jwks: true,
  jwks_uri: true,
  request_uris: true,
  userinfo_signed_response_alg: true,
  dpop_bound_access_tokens: true,
  require_pushed_authorization_requests: true,
  initiate_login_uri: true,
  logo_uri: true,
  policy_uri: true,
  tos_uri: true,
  backchannel_logout_uri: true,
  backchannel_logout_session_required: true,
  frontchannel_logout_uri: true,
  frontchannel_logout_session_required: true,
} as const satisfies Partial<Record<keyof ClientEntry, true>>;

/** In the order of the response. */
export const namesOfEntryMembers = Object.keys(entryMembers) as readonly (keyof typeof entryMembers)[];

const entryPart = clientEntryModel.pick(entryMembers).extend({
  initiate_login_uri: judged(problemOfHttpsUrl).optional(),
});

/** Members for behaviour that this server always has, or that have no effect. */
const furtherPart = z.object({
  application_type: oneOf(['web', 'native']).optional(),
  contacts: texts().optional(),
  client_uri: judged(problemOfHttpUrl).optional(),
  id_token_signed_response_alg: oneOf(signingAlgorithms).optional(),
  subject_type: oneOf(['public']).optional(),
});

/** `entry` contains only members that were sent. @throws OAuthError invalid_client_metadata */
export function readFullMetadata(metadata: ClientMetadata): {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly further: Further;
} {
  const sent = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => metadata[name] !== undefined).map((name) => [name, metadata[name]]));
  return {
    entry: read(entryPart.partial(), sent(namesOfEntryMembers)),
    further: withoutUndefined(read(furtherPart, sent(Object.keys(furtherPart.shape)))),
  };
}

/** Whether the client as a whole can do what it was registered for. @throws OAuthError invalid_client_metadata */
export function checkFullClient(entry: ClientEntry, { oauth }: Pick<Settings, 'oauth'>): void {
  const problem = checkClientEntry(entry);
  if (problem !== undefined) refuse(problem.field, problem.message);
  const unusable = problemOfClientKeys(entry);
  if (unusable !== undefined) refuse('jwks', `cannot be used: ${unusable}`);
  for (const { member, isOff, lacking } of clientDemands) {
    if (entry[member] && isOff(oauth)) refuse(member, `is not supported: ${lacking}`);
  }
  const frame = entry.frontchannel_logout_uri;
  if (frame !== undefined && !entry.redirect_uris.some((address) => originOf(address) === new URL(frame).origin)) {
    refuse('frontchannel_logout_uri', 'must have the scheme, host and port of one of the redirect_uris');
  }
  const fetched = { jwks_uri: [entry.jwks_uri ?? []].flat(), request_uris: entry.request_uris };
  for (const [name, addresses] of Object.entries(fetched)) {
    // Keys that serve no signature may be at any address.
    if (name === 'jwks_uri' && entry.token_endpoint_auth_method !== 'private_key_jwt') continue;
    if (name === 'request_uris' && oauth.request_objects === 'off') continue;
    for (const address of addresses) {
      const url = parseClientIdUrl(address.split('#', 1)[0] ?? '');
      if (typeof url === 'string') refuse(name, `cannot be fetched: ${url}`);
      else if (!isAllowedHost(url, oauth.client_fetch.allowed_hosts)) {
        refuse(name, 'cannot be fetched: its host and port are not in oauth.client_fetch.allowed_hosts');
      }
    }
  }
}

function read<Model extends z.ZodType>(model: Model, value: unknown): z.output<Model> {
  const outcome = model.safeParse(value);
  if (outcome.success) return outcome.data;
  const [issue] = outcome.error.issues;
  refuse(String(issue?.path[0] ?? ''), issue?.message ?? 'cannot be read');
}

/** `null` for an application's own scheme, as for any address that is not http. */
function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

function withoutUndefined(part: z.output<typeof furtherPart>): Further {
  return Object.fromEntries(
    Object.entries(part).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined),
  );
}

function refuse(member: string, problem: string): never {
  throw oauthError(registrationRefusals.metadata_member_unusable, { member, problem });
}
