// How values are written into JSON columns and checked when they are read. Undefined members are written as null, so
// that a record is read exactly as it was stored.

import * as z from 'zod';
import { instant } from '#shared/base/clock.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { boundedEvent } from '#shared/model/audit/audit-entry.ts';
import { type AuditEvent, auditEventTypes } from '#shared/model/audit/audit-event.ts';
import type { AuditedRequest } from '#shared/model/audit/audited-request.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import { type AuthorizationRequest, responseModes } from '#shared/model/domain/authorization-request.ts';
import type { AuthorizationTransaction, LoginProgress } from '#shared/model/domain/authorization-transaction.ts';
import type { LogoutConfirmation } from '#shared/model/domain/logout-confirmation.ts';
import type { PushedRequest } from '#shared/model/domain/pushed-request.ts';
import type { Registration } from '#shared/model/domain/runtime-identity.ts';
import type { SamlLogout } from '#shared/model/domain/saml-logout.ts';
import type { SessionParticipant } from '#shared/model/domain/session.ts';
import type { DeviceApproval } from './ports/device-grants.ts';

export function encode(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (member === undefined ? null : member));
}

/** A JSON column of that shape. */
export function encoded<Shape extends z.ZodType>(shape: Shape) {
  return z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(shape);
}

export const countRow = z.object({ count: z.number() });
export const presentRow = z.object({ present: z.number() });

export const instantColumn = z.number().transform(instant);

/** A column or member that may be absent. It is then written as null. */
export function orUndefined<Shape extends z.ZodType>(shape: Shape) {
  return shape.nullable().transform((value) => value ?? undefined);
}

/** A JSON object with any member names, unchanged. */
const asWritten = z.custom<Readonly<Record<string, unknown>>>((value) => isMapping(value));
export const detailsShape = asWritten;
export const claimsShape: z.ZodType<OwnClaims> = asWritten;

const names = z.array(z.string()).readonly();
const text = orUndefined(z.string());
/** Claims typed for this login alone (PCL-18). */
const typedClaims = orUndefined(claimsShape).optional();
const authenticationMethod = z.enum(['password', 'password+totp', 'persona']);

const authorizationRequestShape: z.ZodType<AuthorizationRequest> = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_mode: z.enum(responseModes),
  response_type: orUndefined(z.enum(['id_token', 'id_token token'])).optional(),
  scope: names,
  state: text,
  nonce: text,
  code_challenge: text,
  code_challenge_method: orUndefined(z.enum(['plain', 'S256'])),
  claims: z.object({ id_token: names, userinfo: names }),
  resource: names,
  login_hint: text,
  dpop_jkt: z.string().optional(),
  pushed: z.string().optional(),
  ignored_parameters: names.optional(),
  ignored_scopes: names.optional(),
  asks: orUndefined(
    z.object({
      prompts: z.array(z.enum(['none', 'login', 'select_account', 'consent'])).readonly(),
      maxAgeSeconds: orUndefined(z.number()),
      subject: text,
      otherSubjects: names.optional(),
      acr: orUndefined(z.object({ values: names, essential: z.boolean() })),
    }),
  ).optional(),
});

const progressShape: z.ZodType<LoginProgress> = z.object({
  username: z.string(),
  method: authenticationMethod,
  authenticatedAt: instantColumn,
  amr: orUndefined(names),
  sid: text.optional(),
  loggedIn: z.boolean(),
  chosen: z.boolean(),
  codeAlone: orUndefined(z.boolean()).optional(),
  claims: typedClaims,
});

export const transactionShape: z.ZodType<AuthorizationTransaction> = z.object({
  transaction_id: z.string(),
  browser: z.string(),
  request: authorizationRequestShape,
  clientInstance: text.optional(),
  parameters: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  direct: z.boolean(),
  embedded: z.boolean(),
  createdAt: instantColumn,
  progress: orUndefined(progressShape).optional(),
});

export const pushedRequestShape: z.ZodType<PushedRequest> = z.object({
  request_uri: z.string(),
  client_id: z.string(),
  clientInstance: text.optional(),
  parameters: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  expiresAt: instantColumn,
  browser: text.optional(),
  usedBy: text.optional(),
});

export const codeShape: z.ZodType<AuthorizationCodeRecord> = z.object({
  code: z.string(),
  request: authorizationRequestShape,
  clientInstance: text.optional(),
  userInstance: text.optional(),
  username: z.string(),
  authenticatedAt: instantColumn,
  method: authenticationMethod,
  amr: orUndefined(names),
  sid: text.optional(),
  acr: text.optional(),
  claims: typedClaims,
  issuedAt: instantColumn,
  lifetime: z.number().optional(),
});

/** The members of a session that have no column. */
export const sessionShape = z.object({
  browser: z.string(),
  method: authenticationMethod,
  amr: orUndefined(names),
  acr: text,
  authenticatedAt: instantColumn,
  credentials: text,
  claims: typedClaims,
});

/** A NameID as service providers received it. */
export const nameIdShape = z.object({ value: z.string(), format: text, name_qualifier: text, sp_name_qualifier: text });

export const participantShape: z.ZodType<SessionParticipant> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('client'), client_id: z.string(), issuer: z.string() }),
  z.object({
    kind: z.literal('service_provider'),
    entity_id: z.string(),
    issuer: z.string(),
    session_index: z.string(),
    name_id: nameIdShape,
    earlier: z
      .array(z.object({ session_index: z.string(), name_id: nameIdShape }))
      .readonly()
      .optional(),
  }),
]);

export const logoutConfirmationShape: z.ZodType<LogoutConfirmation> = z.object({
  logout_id: z.string(),
  browser: z.string(),
  sids: names,
  request: z.object({
    clientId: text,
    hint: orUndefined(z.object({ clientId: text })),
    address: text,
    state: text,
  }),
  askedAt: instantColumn,
});

export const samlLogoutShape: z.ZodType<SamlLogout> = z.object({
  id: z.string(),
  browser: z.string(),
  username: z.string(),
  begunAt: instantColumn,
  initiator: orUndefined(
    z.object({
      entity_id: z.string(),
      request_id: z.string(),
      relay_state: text,
      binding: z.enum(['HTTP-POST', 'HTTP-Redirect']),
      name_id: nameIdShape,
      session_indexes: names,
    }),
  ),
  address: text,
  unfollowed: orUndefined(z.object({ address: z.string(), reason: z.string() })),
  steps: z
    .array(
      z.object({
        entity_id: z.string(),
        name_id: nameIdShape,
        session_indexes: names,
        outcome: z.enum(['waiting', 'asked', 'told', 'failed']),
        request_id: text,
      }),
    )
    .readonly(),
  clients: z
    .array(z.object({ client_id: z.string(), outcome: z.enum(['told', 'failed', 'framed']) }))
    .readonly()
    .optional(),
  ended: z.boolean(),
});

export const namesShape = names;

export const approvalShape: z.ZodType<DeviceApproval> = z.object({
  username: z.string(),
  clientInstance: text.optional(),
  userInstance: text.optional(),
  authenticatedAt: instantColumn,
  method: authenticationMethod,
  amr: orUndefined(names),
  claims: typedClaims,
});

export const registrationShape: z.ZodType<Registration> = z.object({
  client_id: z.string(),
  accessTokenHash: z.string(),
  issuedAt: instantColumn,
  grant_types: names,
  client_name: text,
  further: z.record(z.string(), z.union([z.string(), names])).optional(),
  byForeignPage: z.literal(true).optional(),
});

export const auditedRequestShape: z.ZodType<AuditedRequest> = z.object({
  id: z.string().optional(),
  status: z.number().optional(),
  parameters: z.array(z.tuple([z.string(), z.string().nullable()])),
});

export const auditEventShape: z.ZodType<AuditEvent> = z.object({
  event_type: z.enum(auditEventTypes),
  at: instantColumn,
  clock: orUndefined(instantColumn).optional(),
  username: text,
  client_id: text,
  ip_address: text,
  user_agent: text,
  endpoint: text,
  method: text,
  status: z.enum(['success', 'failed', 'denied', 'error']),
  details: detailsShape,
  request: orUndefined(auditedRequestShape).optional(),
});

/** Encodes an event for the outbox or a claim: bounded, with null for absent members. */
export function encodeEvent(event: AuditEvent): string {
  return encode(boundedEvent(event));
}
