// The grants that this server supports, one row each: name, parameters, when it is served, and what the recorder and
// the faults need to know. Discovery, registration, /token, the audit, the log and the recorder use these rows (DIS-09,
// DCR-05, GRT-14, REC-17). services/oidc/token/grants/ implements the grants.
import type { RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import { oauthParameters, type ParameterTable } from '#shared/protocol/oauth2/parameters.ts';

/** The part of the configuration that decides whether a grant is served. A ConfigurationSnapshot has it. */
interface ServingRules {
  readonly rules: { readonly allowPasswordGrant: boolean };
}

interface GrantRow {
  /** The grant_type. */
  readonly type: string;
  /** The parameters that it reads in addition to those of every token request (`token` in the table of parameters). */
  readonly parameters: ParameterTable;
  /** The kind of its flows, and the endpoints that only flows of this kind request (REC-17). */
  readonly flow: { readonly kind: string; readonly endpoints: readonly RecordedEndpoint[] };
  /** Absent: served under every profile and every setting. */
  readonly isServed?: (configuration: ServingRules) => boolean;
  /** Its tokens are about the client only. */
  readonly hasNoUser?: true;
}

export const deviceCodeGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** In the order in which the kinds of flows are listed. */
const rows = [
  {
    type: 'authorization_code',
    parameters: {
      code: { value: 'secret' },
      redirect_uri: oauthParameters.redirect_uri,
      code_verifier: { value: 'secret' },
    },
    flow: { kind: 'code', endpoints: ['authorize', 'pushed_authorization_request'] },
  },
  {
    type: deviceCodeGrantType,
    parameters: { device_code: { value: 'secret' } },
    flow: { kind: 'device', endpoints: ['device_authorization', 'device'] },
  },
  {
    type: 'password',
    parameters: {
      username: oauthParameters.username,
      password: oauthParameters.password,
      nonce: oauthParameters.nonce,
    },
    flow: { kind: 'password', endpoints: [] },
    isServed: ({ rules }: ServingRules) => rules.allowPasswordGrant,
  },
  {
    type: 'client_credentials',
    parameters: {},
    flow: { kind: 'client_credentials', endpoints: [] },
    hasNoUser: true,
  },
  {
    type: 'refresh_token',
    parameters: { refresh_token: { value: 'secret' } },
    flow: { kind: 'refresh', endpoints: [] },
  },
] as const satisfies readonly GrantRow[];

export type GrantType = (typeof rows)[number]['type'];

/** The kinds of flows that have a grant. */
export type GrantFlowKind = (typeof rows)[number]['flow']['kind'];

interface KnownGrant extends GrantRow {
  readonly type: GrantType;
  readonly flow: GrantRow['flow'] & { readonly kind: GrantFlowKind };
}

export const knownGrants: readonly KnownGrant[] = rows;

/** The row of a grant_type as sent. */
export function findGrant(type: string | undefined): KnownGrant | undefined {
  return knownGrants.find((grant) => grant.type === type);
}

/** The grants that /token currently serves, by name (DIS-09). */
export function supportedGrantTypes(configuration: ServingRules): readonly GrantType[] {
  return knownGrants
    .filter(({ isServed }) => isServed?.(configuration) !== false)
    .map(({ type }) => type)
    .sort();
}
