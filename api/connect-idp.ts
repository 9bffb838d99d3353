// connectIdp: an identity provider that already runs, with the same members (API-35 to API-37).
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { systemStopwatch } from '#shared/base/clock.ts';
import { unreachableSentence } from '#shared/base/unreachable.ts';
import { version } from '#shared/base/version.ts';
import { noOther } from './arguments.ts';
import { type Answer, ask } from './ask.ts';
import { IdpError } from './errors.ts';
import { type Addresses, type Instance, type InstanceParts, makeInstance } from './instance.ts';
import { InstanceKeys } from './instance-keys.ts';
import { notReachable, type Requests, reasonOf, requestsTo } from './requests.ts';
import type { ConnectIdp, ConnectOptions, IdpKeys, SettingsEntry } from './types.ts';

const pauseMilliseconds = 100;
const usualTimeout = 15_000;
/** The longest there is: it ends with this object, or with its process and a day. */
const ttlSeconds = 86_400;

export const connectIdp: ConnectIdp = async (url, options = {}) => (await connectTo(url, options)).idp;

/** What the caller knows of the instance that it cannot be asked. */
interface KnownOfInstance extends Partial<Pick<InstanceParts, 'keys' | 'users' | 'clients'>> {
  /** Settings of the sandbox that is made. */
  readonly settings?: SettingsEntry | undefined;
}

export async function connectTo(url: string, options: ConnectOptions, known: KnownOfInstance = {}): Promise<Instance> {
  const { managementSecret, timeout = usualTimeout, sandbox = true } = readOptions(options);
  const root = baseOf(url);
  await answering(root, timeout);
  await requireMajorVersion(root, timeout);
  let isStopped = false;
  const requests = requestsTo(root, managementSecret, () => isStopped);
  const place = await placeOf(sandbox, requests, known.settings);
  const base = place === undefined ? root : `${root}/s/${place.name}`;
  let addresses: Addresses;
  try {
    addresses = await addressesOf(base, timeout);
  } catch (error) {
    // Why it cannot be used says more than that its end failed, too.
    if (place?.isOwn === true) await endSandbox(place.name, requests).catch(() => {});
    throw error;
  }
  return makeInstance({
    addresses,
    managementSecret,
    keys: known.keys ?? outOfReach,
    users: known.users ?? {},
    clients: known.clients ?? {},
    async reset() {
      if (place !== undefined) {
        await requests.json('POST', `/api/sandboxes/${place.name}/reset`);
        return;
      }
      throw new IdpError(
        'not_resettable',
        'connectIdp() cannot reset the default identity provider of a running instance. Connect to a sandbox.',
      );
    },
    async stop() {
      if (place?.isOwn === true) await endSandbox(place.name, requests);
      isStopped = true;
    },
  });
}

const optionsModel = z.strictObject({
  managementSecret: z.string().min(1).optional(),
  sandbox: z.union([z.boolean(), z.string().min(1)]).optional(),
  timeout: z.number().positive().optional(),
});

function readOptions(options: ConnectOptions): z.output<typeof optionsModel> {
  const parsed = optionsModel.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    noOther('connectIdp', { [issue.keys[0] ?? '']: true }, Object.keys(optionsModel.shape));
  }
  const member = issue?.path.map(String).join('.');
  throw new IdpError('invalid_option', `${member || 'options'} is invalid: ${issue?.message}`);
}

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.search === '' && parsed.hash === '') {
    return parsed.href.replace(/\/+$/, '');
  }
  throw new IdpError(
    'invalid_option',
    'The argument of connectIdp() must be the URL of an instance, such as http://127.0.0.1:8000.',
  );
}

/** @throws IdpError not_reachable with the last reason */
async function answering(root: string, timeout: number): Promise<void> {
  const began = systemStopwatch.read();
  let reason = '';
  for (;;) {
    const left = timeout - systemStopwatch.since(began);
    try {
      const { status } = await ask(new URL(`${root}/health`), { timeoutMilliseconds: Math.max(left, 1) });
      if (status === 200) return;
      reason = `/health returned ${status}`;
    } catch (error) {
      // That the time ran out in the middle of an attempt says less than why those before it failed.
      if (reason === '' || systemStopwatch.since(began) < timeout) reason = reasonOf(error);
    }
    if (systemStopwatch.since(began) + pauseMilliseconds >= timeout) {
      const absent = `no instance responded at ${root} within ${timeout / 1000} s: ${reason}`;
      throw new IdpError('not_reachable', unreachableSentence(root, reason, absent));
    }
    await pause(pauseMilliseconds);
  }
}

const describedVersion = z.looseObject({ info: z.looseObject({ version: z.string() }) });

/** @throws IdpError not_reachable, version */
async function requireMajorVersion(root: string, timeout: number): Promise<void> {
  const theirs = describedVersion.safeParse(jsonOf(await answerAt(`${root}/openapi.json`, timeout)));
  const found = theirs.data?.info.version;
  if (found !== undefined && found.split('.', 1)[0] === version.split('.', 1)[0]) return;
  const what = found === undefined ? 'has no version' : `has version ${found}`;
  throw new IdpError(
    'version',
    `The instance at ${root} ${what}, but this package has ${version}. Their major versions must be equal.`,
  );
}

interface Sandbox {
  readonly name: string;
  /** Made by this call, so that its end is ours. */
  readonly isOwn: boolean;
}

async function placeOf(
  sandbox: boolean | string,
  requests: Requests,
  settings: SettingsEntry = {},
): Promise<Sandbox | undefined> {
  if (sandbox === false) return undefined;
  if (sandbox === true) {
    const made = await requests.json('POST', '/api/sandboxes', { ttl_seconds: ttlSeconds, settings });
    return { name: nameOf(made), isOwn: true };
  }
  return { name: nameOf(await requests.json('GET', `/api/sandboxes/${encodeURIComponent(sandbox)}`)), isOwn: false };
}

function nameOf(described: unknown): string {
  return z.looseObject({ name: z.string() }).parse(described).name;
}

async function endSandbox(name: string, requests: Requests): Promise<void> {
  try {
    await requests.json('DELETE', `/api/sandboxes/${name}`);
  } catch (error) {
    // It expired, or its instance stopped.
    if (!(error instanceof IdpError) || !['not_found', 'not_reachable', 'http_404'].includes(error.kind)) throw error;
  }
}

const discovered = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });

/** @throws IdpError not_reachable */
async function addressesOf(base: string, timeout: number): Promise<Addresses> {
  const discoveryUrl = `${base}/.well-known/openid-configuration`;
  const samlMetadataUrl = `${base}/saml/metadata`;
  const [discovery, metadata] = await Promise.all([
    answerAt(discoveryUrl, timeout),
    answerAt(samlMetadataUrl, timeout),
  ]);
  const found = discovered.safeParse(jsonOf(discovery));
  if (!found.success) {
    const what = `${discoveryUrl} returned ${discovery.status} without a discovery document`;
    throw new IdpError('not_reachable', `${what}. A proxy may not forward this path.`);
  }
  const { issuer, jwks_uri: jwksUrl } = found.data;
  const [, samlSsoUrl = `${base}/saml/sso`] =
    /SingleSignOnService\b[^>]*\bLocation="([^"]*)"/.exec(metadata.body.toString('utf8')) ?? [];
  const { port, protocol } = new URL(base);
  return {
    ...{ url: base, issuer, discoveryUrl, jwksUrl, samlMetadataUrl },
    samlSsoUrl: samlSsoUrl.replaceAll('&amp;', '&'),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

/** What answers its health may still leave other questions without an answer. @throws IdpError not_reachable */
async function answerAt(address: string, timeoutMilliseconds: number): Promise<Answer> {
  try {
    return await ask(new URL(address), { timeoutMilliseconds });
  } catch (error) {
    throw notReachable(address, error);
  }
}

function jsonOf({ body }: Answer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const outOfReach: IdpKeys = new InstanceKeys(async () => {
  throw new IdpError('keys_out_of_reach', 'connectIdp() has no access to the private keys of the instance.');
});
