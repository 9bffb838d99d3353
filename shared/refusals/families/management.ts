// Refusals of the REST API: status, `kind` where a program may want to decide, sentence.
import { tokenLifetimeMinutes } from '#shared/configuration/model/settings/oauth.ts';
import type { RuntimeKind } from '#shared/domain/runtime-identity.ts';
import { sandboxesMax } from '#shared/domain/sandbox.ts';
import { docs } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';

export interface ApiRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly kind?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const { least, most } = tokenLifetimeMinutes;

/** Nothing can be written, with the remedy (PKG-17). */
export const noConfigurationDirectory =
  'This instance runs the embedded configuration, which lies in no file: write one with `test-idp init my-idp` and start with `--config-dir my-idp`.';

/** Where machines share the store a change is written into the files of the one that answers (CLU-20). */
export const configurationNotWritable =
  'This machine cannot write its configuration files, so nothing was changed: let it write them, or send the change to a machine that can.';

const api = { standard: docs('errors.md#rest-api') } as const;

const nameOf = (kind: RuntimeKind): string => kind.replace('_', ' ');

interface Kind {
  readonly kind: RuntimeKind;
}

export function declareApiRefusals<const Table extends Readonly<Record<string, ApiRefusalRow>>>(table: Table) {
  return declareRefusals<ApiRefusalRow, Table>(table);
}

export const managementRefusals = declareApiRefusals({
  session_not_found: {
    status: 404,
    kind: 'not_found',
    answer: 'There is no session of that sid.',
    expected: 'The sid of a session that GET /api/sessions lists.',
    standard: docs('errors.md#rest-api'),
  },
  // whatever is asked for
  host_not_allowed: {
    ...api,
    status: 421,
    kind: 'host_not_allowed',
    answer:
      'The server is bound to loopback, and the Host of this request is none of its own names. Ask at localhost, or add the name to server.allowed_hosts in settings.yaml.',
    expected: 'A loopback name, the host of oauth.issuer or oauth.issuer_allowlist, or one of server.allowed_hosts.',
  },
  // /api/cluster
  store_on_one_machine: {
    ...api,
    status: 404,
    kind: 'not_found',
    answer: ({ store }: { store: string }) =>
      `The state lies in runtime.store ${store}, on this machine alone: there is no cluster to tell of.`,
    expected: 'A server with runtime.store postgres.',
  },
  // whatever is written
  write_from_another_site: {
    ...api,
    status: 403,
    answer: 'A write from another site is refused. Send it from the same origin or from a program.',
    expected: 'A write of this origin, or of a program that sends no Origin.',
  },
  management_secret_wrong: {
    ...api,
    status: 401,
    answer: ({ header }: { header: string }) => `Writing needs the header ${header} with the management secret.`,
    expected: 'The management secret in the header X-Management-Secret.',
  },
  body_not_json: {
    ...api,
    status: 400,
    kind: 'invalid',
    answer: 'The request body is not well-formed JSON.',
    expected: 'A body of well-formed JSON, or none.',
  },
  // /api/service-providers/check
  service_provider_check_invalid: {
    ...api,
    status: 400,
    kind: 'invalid',
    answer: 'The body must be {"metadata": "<xml text>"} or {"url": "<address>"}.',
    expected: 'Exactly one of metadata and url, as text.',
  },
  metadata_not_fetched: {
    ...api,
    status: 400,
    kind: 'not_fetched',
    answer: ({ reason }: { reason: string }) => `The metadata cannot be fetched: ${reason}.`,
    expected:
      'An address on loopback or at a host of oauth.client_fetch that answers at most 1 MiB within 5 seconds, without redirect to another host.',
  },
  // /api/users and their tokens
  user_not_found: {
    ...api,
    status: 404,
    answer: 'There is no user with that name.',
    expected: 'The name of a user there is.',
  },
  token_request_not_an_object: {
    ...api,
    status: 400,
    answer: 'The request body must be a JSON object whose members are options of the token.',
    expected:
      'A JSON object with exp_minutes or exp_seconds, nbf, client_id, extra, scope and resource, each of them optional, or no body.',
  },
  token_lifetime_wrong: {
    ...api,
    status: 400,
    answer: `exp_minutes must be an integer from ${least} to ${most}, or from -${most} to -${least} for a token that has expired.`,
    expected: `A whole number of minutes from ${least} to ${most}, or from -${most} to -${least}.`,
  },
  token_seconds_wrong: {
    ...api,
    status: 400,
    answer: `exp_seconds must be an integer from 1 to ${most * 60}, or from -${most * 60} to -1 for a token that has expired, and excludes exp_minutes.`,
    expected: `A whole number of seconds from 1 to ${most * 60}, or from -${most * 60} to -1, and no exp_minutes beside it.`,
  },
  token_not_before_wrong: {
    ...api,
    status: 400,
    answer: 'nbf must be a whole number of seconds since 1970-01-01T00:00:00Z.',
    expected: 'A NumericDate in whole seconds (RFC 7519 §2), or none.',
  },
  token_client_not_a_text: {
    ...api,
    status: 400,
    answer: 'client_id must be a text.',
    expected: 'The client_id of a client there is, or none.',
  },
  token_extra_not_an_object: {
    ...api,
    status: 400,
    answer: 'extra must be a JSON object whose members are the claims to add.',
    expected: 'A JSON object of claims, or none.',
  },
  token_scope_not_a_text: {
    ...api,
    status: 400,
    answer: 'scope must be a text: names separated by spaces.',
    expected: 'Names of scopes separated by spaces, or none.',
  },
  token_resource_not_a_text: {
    ...api,
    status: 400,
    answer: 'resource must be a text or a list of texts.',
    expected: 'One resource or a list of them, or none.',
  },
  token_client_unknown: {
    ...api,
    status: 400,
    answer: 'client_id names no client.',
    expected: 'The client_id of a client there is, or none.',
  },
  // POST /api/clients/{client_id}/token
  client_token_client_unknown: {
    ...api,
    status: 404,
    answer: 'There is no client of that name.',
    expected: 'The client_id of a client there is.',
  },
  // /api/clock
  clock_move_invalid: {
    ...api,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => `The clock cannot be moved like that: ${problem}.`,
    expected:
      'A JSON object with one at most of offset_seconds, advance_seconds and at, and frozen; at least one member in all.',
  },
  clock_out_of_range: {
    ...api,
    status: 400,
    kind: 'out_of_range',
    answer: 'The clock stays from 2000-01-01T00:00:00Z to 2099-12-31T23:59:59Z; it was not moved.',
    expected: 'A move that ends within these bounds.',
  },
  // /api/audit
  audit_limit_wrong: {
    ...api,
    status: 400,
    answer: 'limit must be an integer: the number of newest entries, or a negative number for all.',
    expected: 'A whole number, or none.',
  },
  // /api/runtime
  runtime_identity_not_found: {
    ...api,
    status: 404,
    kind: 'not_found',
    answer: ({ kind }: Kind) => `There is no runtime ${nameOf(kind)} of that name.`,
    expected: 'The name of a runtime object; a declared one is none.',
  },
  runtime_identity_invalid: {
    ...api,
    status: 400,
    kind: 'invalid',
    answer: ({ kind, problem }: Kind & { problem: string }) => `The ${nameOf(kind)} is not acceptable: ${problem}.`,
    expected: 'An entry that the file could hold as well.',
  },
  runtime_identity_declared: {
    ...api,
    status: 409,
    kind: 'declared',
    answer: ({ kind }: Kind) => `The configuration declares a ${nameOf(kind)} of that name.`,
    expected: 'A name that the files do not declare.',
  },
  runtime_identity_exists: {
    ...api,
    status: 409,
    kind: 'exists',
    answer: ({ kind }: Kind) => `There is a runtime ${nameOf(kind)} of that name already.`,
    expected: 'A name that no other runtime object has.',
  },
  runtime_identity_being_promoted: {
    ...api,
    status: 409,
    kind: 'promotion_in_progress',
    answer: ({ kind }: Kind) =>
      `The runtime ${nameOf(kind)} is being promoted, or waits for a reload to finish its promotion.`,
    expected: 'An object whose promotion has ended.',
  },
  runtime_reset_during_promotion: {
    ...api,
    status: 409,
    kind: 'promotion_in_progress',
    answer: 'A promotion did not end in time; nothing was removed. Try again.',
    expected: 'No promotion at the same moment.',
  },
  promotion_of_declared_name: {
    ...api,
    status: 409,
    kind: 'declared',
    answer: ({ kind }: Kind) =>
      `The configuration declares a ${nameOf(kind)} of that name; the runtime object is as it was.`,
    expected: 'A name that the files do not declare.',
  },
  promotion_conflict: {
    ...api,
    status: 409,
    kind: 'conflict',
    answer: 'The file was changed by somebody else meanwhile; nothing was written. Try again.',
    expected: 'A file that nobody else changes at the same moment.',
  },
  promotion_unloadable: {
    ...api,
    status: 422,
    kind: 'unloadable',
    answer: ({ kind }: Kind) => `With this ${nameOf(kind)} the file would not load; nothing was written.`,
    expected: 'A file that loads with the entry in it.',
  },
  promotion_lock_unavailable: {
    ...api,
    status: 503,
    kind: 'lock_unavailable',
    headers: { 'Retry-After': '1' },
    answer: 'The configuration directory is locked by another process; nothing was written.',
    expected: 'A configuration directory that no other process holds.',
  },
  promotion_without_directory: {
    ...api,
    status: 409,
    kind: 'no_configuration_directory',
    answer: noConfigurationDirectory,
    expected: 'A server with a configuration directory.',
  },
  promotion_not_writable: {
    ...api,
    status: 409,
    kind: 'configuration_not_writable',
    answer: configurationNotWritable,
    expected: 'A machine that can write its configuration files, where several share the store.',
  },
  promotion_write_failed: {
    ...api,
    status: 500,
    kind: 'write_failed',
    answer: 'The file could not be written; the log of the server says why.',
    expected: 'A file that can be written.',
  },
  promotion_reload_failed: {
    ...api,
    status: 500,
    kind: 'reload_failed',
    answer:
      'The entry is in the file, but the configuration could not be loaded; the next successful reload finishes the promotion.',
    expected: 'A configuration that can be activated.',
  },
  promotion_in_sandbox: {
    ...api,
    status: 409,
    kind: 'not_in_a_sandbox',
    answer: 'A sandbox has no files of its own, so nothing in it can be promoted.',
    expected: 'An object of the default identity provider.',
  },
  // /api/sandboxes
  sandbox_not_found: {
    ...api,
    status: 404,
    kind: 'not_found',
    answer: 'There is no sandbox of that name. Sandboxes expire.',
    expected: 'The name of a sandbox that lives.',
  },
  sandbox_invalid: {
    ...api,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => `The sandbox is not acceptable: ${problem}.`,
    expected: 'A JSON object with name, ttl_seconds, settings and keys, each of them optional, or no body.',
  },
  sandbox_exists: {
    ...api,
    status: 409,
    kind: 'exists',
    answer: 'There is a sandbox of that name already.',
    expected: 'A name that no other sandbox has.',
  },
  sandbox_limit: {
    ...api,
    status: 429,
    kind: 'sandbox_limit',
    answer: ({ seconds }: { seconds: number }) =>
      `${sandboxesMax} sandboxes live; delete some, or wait ${seconds} s until the next one expires.`,
    expected: `Fewer than ${sandboxesMax} sandboxes.`,
  },
});
