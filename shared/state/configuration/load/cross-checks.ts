// The rules that involve more than one key (CFG-11, CFG-12, CFG-39, CFG-K58). Each returns findings without a location.
// The loader adds file and line.

import { resolve } from 'node:path';
import { instant } from '#shared/base/clock.ts';
import { unknownName } from '#shared/base/unknown-name.ts';
import { clientDemands } from '#shared/model/configuration/client-demands.ts';
import { checkClientEntry, clientFromEntry, problemOfClientKeys } from '#shared/model/configuration/client-entry.ts';
import type { FaultProblem, ProblemsOfFault } from '#shared/model/configuration/fault-entry.ts';
import { dotted, type FindingLevel, type KeyPath } from '#shared/model/configuration/finding.ts';
import { profileRules } from '#shared/model/configuration/profile-rules.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import { lifetimeUnits } from '#shared/model/configuration/settings/token-lifetimes.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { storeKindOf } from '#shared/model/configuration/store-kinds.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { doubtfulRedirectUris } from '#shared/model/oauth-rules/doubtful-redirect-uris.ts';
import { impossibleIn } from '#shared/model/oauth-rules/impossible-client.ts';
import { doubtfulRestriction, unusableScopeNames, unusableScopes } from '#shared/model/oauth-rules/scope.ts';
import { readPostgresUrl } from '#shared/model/runtime-store/postgres-url.ts';
import { isBcryptHash } from '#shared/protocol/bcrypt-hash.ts';
import { baseAddress, basePathOf } from '#shared/protocol/oidc/issuer-address.ts';
import { isInsideDirectory } from '#shared/state/store/store-files.ts';
import { isPem, readCertificates } from '../service-providers/rsa-certificates.ts';

interface CrossFinding {
  readonly level: FindingLevel;
  readonly path: KeyPath;
  readonly message: string;
}

export function checkSettings(settings: Settings, directory: string): CrossFinding[] {
  return [
    ...checkAllowlist(settings),
    ...checkClients(settings),
    ...checkStore(settings, directory),
    ...checkCors(settings),
    ...checkIssuer(settings),
    ...checkDemands(settings),
    ...checkKeys(settings),
    ...checkMetadataDocuments(settings),
    ...checkScopes(settings),
    ...checkCertificates(settings),
    ...checkSigning(settings),
    ...checkTogether(settings),
  ];
}

/**
 * The rules that the settings of a sandbox can break, too. Each names the key that has no effect without the other one.
 */
export function* checkTogether(settings: Settings): Generator<CrossFinding> {
  yield* checkSingleLogout(settings);
  yield* checkResponseTypes(settings);
}

function* checkClients(settings: Settings): Generator<CrossFinding> {
  const seen = new Set<string>();
  const rules = profileRules(settings);
  for (const [index, client] of settings.oauth.clients.entries()) {
    const path = ['oauth', 'clients', index];
    if (seen.has(client.client_id)) {
      yield { level: 'error', path: [...path, 'client_id'], message: 'is already the client_id of an earlier client' };
    }
    seen.add(client.client_id);
    const problem = checkClientEntry(client);
    if (problem !== undefined) yield { level: 'error', path: [...path, problem.field], message: problem.message };
    for (const { field, index: place, message } of [
      ...doubtfulRedirectUris(client, rules),
      ...unusableScopes(client),
    ]) {
      yield { level: 'warning', path: [...path, field, ...(place === undefined ? [] : [place])], message };
    }
    for (const { field, message } of impossibleIn(client, { rules, settings })) {
      yield { level: 'error', path: [...path, field], message };
    }
    const message = doubtfulRestriction(clientFromEntry(client), { rules, settings });
    const field = client.scope === undefined ? 'allowed_scopes' : 'scope';
    if (message !== undefined) yield { level: 'warning', path: [...path, field], message };
  }
}

function* checkSingleLogout({ saml, login }: Settings): Generator<CrossFinding> {
  if (!saml.single_logout || login.session === 'on') return;
  yield { level: 'error', path: ['saml', 'single_logout'], message: 'requires login.session: on' };
}

function* checkStore(settings: Settings, directory: string): Generator<CrossFinding> {
  const { path, url } = settings.runtime;
  const { place } = storeKindOf(settings.runtime);
  const at = ['runtime', 'path'];
  if (place === 'url') yield* checkPostgres(url);
  else if (url !== undefined) {
    const message = 'has an effect only with runtime.store: postgres. Remove it, or choose that store';
    yield { level: 'error', path: ['runtime', 'url'], message };
  }
  if (place !== 'path') {
    if (path !== undefined) {
      yield {
        level: 'error',
        path: at,
        message: 'has an effect only with runtime.store: sqlite. Remove it, or choose that store',
      };
    }
    return;
  }
  if (path === undefined) {
    yield { level: 'error', path: at, message: 'is missing. runtime.store: sqlite requires the path of its file' };
  } else if (path.startsWith('~')) {
    yield { level: 'error', path: at, message: 'must not begin with ~. Write the whole path' };
  } else if (isInsideDirectory(directory, resolve(directory, path))) {
    // Links are followed where the store is opened: a load reads no directory.
    yield { level: 'error', path: at, message: 'must be outside the configuration directory, such as ../runtime.db' };
  }
}

/** Applied only to what the file contains: the default is not in the file and cannot be removed (CLU-06). */
export function* checkKeysDirectory(
  settings: Settings,
  isWritten: (path: KeyPath) => boolean,
): Generator<CrossFinding> {
  const path = ['jwt', 'keys_dir'];
  if (!storeKindOf(settings.runtime).keepsKeys || !isWritten(path)) return;
  const used = settings.server.tls === 'auto' ? 'Only the authority of server.tls is stored there' : 'Remove it';
  const message = `has no effect on signing keys with runtime.store: postgres, because the store contains them. ${used}`;
  yield { level: 'warning', path, message };
}

/** Applied only to what the file contains, because the key in minutes has a default (CLS-07). */
export function* checkLifetimeUnits(isWritten: (path: KeyPath) => boolean): Generator<CrossFinding> {
  for (const { seconds, minutes } of lifetimeUnits) {
    if (!isWritten(['oauth', seconds]) || !isWritten(['oauth', minutes])) continue;
    const message = `and oauth.${minutes} set the same lifetime. Remove one of them`;
    yield { level: 'error', path: ['oauth', seconds], message };
  }
}

function* checkPostgres(url: string | undefined): Generator<CrossFinding> {
  const path = ['runtime', 'url'];
  if (url === undefined) {
    const message =
      'is missing. runtime.store: postgres requires it, such as postgres://user:password@host:5432/database';
    yield { level: 'error', path, message };
    return;
  }
  const address = readPostgresUrl(url);
  if ('problem' in address) yield { level: 'error', path, message: address.problem };
}

function* checkCors(settings: Settings): Generator<CrossFinding> {
  const position = settings.cors_allowed_originss?.indexOf('*') ?? -1;
  if (settings.security_profile === 'stricter-dev' && position !== -1) {
    const message = 'allows every origin, although security_profile is stricter-dev. List the origins instead';
    yield { level: 'warning', path: ['cors_allowed_originss', position], message };
  }
}

/** OAuth 2.1 has no implicit grant (SSO-53). */
function* checkResponseTypes({ security_profile, oauth }: Settings): Generator<CrossFinding> {
  const index = oauth.response_types.findIndex((type) => type !== 'code');
  if (security_profile !== 'oauth21' || index < 0) return;
  const message = 'is not possible with security_profile: oauth21, which allows only the code flow';
  yield { level: 'error', path: ['oauth', 'response_types', index], message };
}

function* checkIssuer({ server, oauth }: Settings): Generator<CrossFinding> {
  if (server.tls !== undefined && oauth.issuer.startsWith('http:')) {
    const message = 'begins with http, although the server uses TLS. Write https, or remove it to use the default';
    yield { level: 'warning', path: ['oauth', 'issuer'], message };
  }
  const basePath = basePathOf(oauth.issuer);
  if (basePath !== '') {
    const discovery = `${baseAddress(oauth.issuer)}/.well-known/openid-configuration`;
    const message = `has the path ${basePath}, so everything is also served below it, with discovery at ${discovery}`;
    yield { level: 'info', path: ['oauth', 'issuer'], message };
  }
  if (oauth.device_verification_base_url !== undefined && !oauth.issuer_from_request) {
    const message = 'has no effect without issuer_from_request: true';
    yield { level: 'info', path: ['oauth', 'device_verification_base_url'], message };
  }
}

/** The server would accept requests that the client demands to be rejected. */
function* checkDemands({ oauth }: Settings): Generator<CrossFinding> {
  for (const { member, isOff, setting } of clientDemands) {
    if (!isOff(oauth)) continue;
    for (const [index, client] of oauth.clients.entries()) {
      if (!client[member]) continue;
      const message = `has no effect without ${setting}`;
      yield { level: 'warning', path: ['oauth', 'clients', index, member], message };
    }
  }
}

function* checkKeys({ oauth }: Settings): Generator<CrossFinding> {
  for (const [index, client] of oauth.clients.entries()) {
    const problem = problemOfClientKeys(client);
    if (problem === undefined) continue;
    const message = `does not let the client authenticate: ${problem}`;
    yield { level: 'warning', path: ['oauth', 'clients', index, 'jwks'], message };
  }
}

/**
 * Discovery announces support (DIS-05), so a client with a document sends its address and does not register any more.
 */
function* checkMetadataDocuments({ oauth }: Settings): Generator<CrossFinding> {
  const { enabled, allowed_hosts, allow_loopback } = oauth.client_id_metadata_documents;
  if (!enabled || allow_loopback || allowed_hosts.length > 0) return;
  const message =
    'allows no host, so every client with a metadata document is rejected. Add its host to allowed_hosts, or set allow_loopback';
  yield { level: 'warning', path: ['oauth', 'client_id_metadata_documents', 'enabled'], message };
}

/** A name that no request can send does not allow anything: the scope meant by it gets `invalid_scope` (SCO-01). */
function* checkScopes({ oauth }: Settings): Generator<CrossFinding> {
  for (const { index, message } of unusableScopeNames(oauth.scopes_supported)) {
    yield { level: 'warning', path: ['oauth', 'scopes_supported', index], message };
  }
}

/**
 * A file may be created or changed later, but an inline text is final (SAM-26, which leaves validity dates to the
 * operator).
 */
/** SHA-1 is for tests of service providers that still accept it, or must not (XML Signature 1.1 §6.2.1). */
function* checkSigning({ saml }: Settings): Generator<CrossFinding> {
  yield* sha1In(saml, ['saml']);
  for (const [index, entry] of saml.service_providers.entries()) {
    yield* sha1In(entry, ['saml', 'service_providers', index]);
  }
}

function* sha1In(
  { signature_algorithm, digest_algorithm }: Pick<ServiceProviderEntry, 'signature_algorithm' | 'digest_algorithm'>,
  above: KeyPath,
): Generator<CrossFinding> {
  const message = 'uses SHA-1, which is broken. Use it only to test that';
  if (signature_algorithm === 'rsa-sha1') {
    yield { level: 'warning', path: [...above, 'signature_algorithm'], message };
  }
  if (digest_algorithm === 'sha1') yield { level: 'warning', path: [...above, 'digest_algorithm'], message };
}

function* checkCertificates({ saml }: Settings): Generator<CrossFinding> {
  for (const [index, text] of saml.sp_certificates.entries()) {
    if (!isPem(text)) continue;
    const read = readCertificates(text, instant(0));
    if (read.outcome === 'read') continue;
    yield { level: 'error', path: ['saml', 'sp_certificates', index], message: read.message };
  }
}

/** The origin of a request is compared literally, and no request has an origin of this form (ISS-03). */
function* checkAllowlist({ oauth }: Settings): Generator<CrossFinding> {
  for (const [index, origin] of oauth.issuer_allowlist.entries()) {
    if (/^https?:\/\/[^*]+$/.test(origin)) continue;
    const message = 'matches no request. An origin begins with http:// or https://, and patterns are not supported';
    yield { level: 'warning', path: ['oauth', 'issuer_allowlist', index], message };
  }
}

/** `given`: the list as written, so that entries are checked even if other settings are invalid. */
export function* checkFaults(given: unknown, problemsOfFault: ProblemsOfFault): Generator<CrossFinding> {
  if (!Array.isArray(given)) return;
  for (const [index, entry] of given.entries()) {
    for (const problem of problemsOfFault(entry)) {
      const path = ['faults', index, ...problem.path];
      yield { level: 'error', path, message: faultMessage(problem, dotted(path.slice(0, -1))) };
    }
  }
}

function faultMessage({ path, message, known }: FaultProblem, place: string): string {
  return known === undefined ? message : unknownName('key', String(path.at(-1)), known, place);
}

/** No page would be skipped then, and the page of a login says so (LIN-04). */
export function* checkAutomaticUser(
  { login }: Pick<Settings, 'login'>,
  users: ReadonlySet<string>,
): Generator<CrossFinding> {
  const { auto_login_user: username } = login;
  if (username === undefined || users.has(username)) return;
  const message = `names the user ${JSON.stringify(username)}, who does not exist. A runtime user with this name may be added later`;
  yield { level: 'warning', path: ['login', 'auto_login_user'], message };
}

/** A stored hash is checked as a hash in every profile. Otherwise the hash itself would be the password (LIN-10). */
export function* checkHashes(settings: Settings, users: Iterable<User>): Generator<CrossFinding> {
  if (profileRules(settings).passwordHashing) return;
  for (const { username, password } of users) {
    if (password === undefined || !isBcryptHash(password)) continue;
    const message = 'is a bcrypt hash. The user logs in with the password that it was made of';
    yield { level: 'info', path: ['users', username, 'password'], message };
  }
}

/** A user and a client with the same name load. Their tokens differ, but people may confuse them (CFG-12). */
export function* checkNames(users: Iterable<string>, clients: ReadonlySet<string>): Generator<CrossFinding> {
  for (const name of users) {
    if (clients.has(name)) {
      yield {
        level: 'warning',
        path: ['users', name],
        message: `is also the client_id of a client. Tokens of the client ${JSON.stringify(name)} never count as tokens of the user`,
      };
    }
  }
}
