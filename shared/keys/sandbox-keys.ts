// The keys of one sandbox. As long as it has none of its own it signs with those of the stack; its own lie in the store
// beside it, the same for every process, and end with it (SBX-40 to SBX-43). A ring is made for one version of the
// sandbox and goes by what is stored then: a rotation makes another version.
import type { Clock } from '#shared/clock.ts';
import type { Sandbox } from '#shared/domain/sandbox.ts';
import { tokenMarkOf } from '#shared/domain/token-mark.ts';
import type { Sandboxes, SandboxKey } from '#shared/store/ports/sandboxes.ts';
import type { KeyRing, KeyRotation } from './key-ring.ts';
import { generatedKeySet, type KeySet } from './key-set.ts';
import { type KeyPair, privateKeyPem, publicKeyPem, readPrivateKey, readPublicKey } from './rsa-key-pair.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

export interface SandboxKeyDependencies {
  readonly store: Pick<Sandboxes, 'keys' | 'addKey'>;
  /** Of the stack. */
  readonly shared: KeyRing;
  /** Real time: certificates are no part of the protocol's clock (TIM-18). */
  readonly realClock: Clock;
  /** A key that lies ready, or a new one. */
  readonly draw: () => Promise<SandboxKey>;
  /** `jwt.max_previous_keys` in force. */
  readonly maxPrevious: () => number;
}

/** More than any `jwt.max_previous_keys`, so that a raised one finds what was kept before. */
const formerKeysKept = 10;

/** A pair as the store keeps it, with its certificate. */
export function sandboxKey(pair: KeyPair, realClock: Clock): SandboxKey {
  return {
    kid: pair.thumbprint,
    publicKeyPem: publicKeyPem(pair.publicKey),
    own: { privateKeyPem: privateKeyPem(pair), certificatePem: selfSignedCertificate(pair, realClock.now()) },
  };
}

export function sandboxKeyRing(sandbox: Sandbox, deps: SandboxKeyDependencies): KeyRing {
  const tokenMark = tokenMarkOf(sandbox.instanceId);
  return sandbox.keys === 'shared' ? sharedRing(sandbox, deps, tokenMark) : ownRing(sandbox, deps, tokenMark);
}

function sharedRing(sandbox: Sandbox, deps: SandboxKeyDependencies, tokenMark: KeyRing['tokenMark'] & string): KeyRing {
  let ring: KeyRing = deps.shared;
  return {
    tokenMark,
    signingKey: () => ring.signingKey(),
    verificationKey: (kid) => ring.verificationKey(kid),
    publicKeys: () => ring.publicKeys(),
    information: () => ring.information(),
    rotationRefusal: async () => undefined,
    // Its tokens so far were signed by the stack, whose keys go on verifying them here.
    rotate: async () => {
      if (ring !== deps.shared) return ring.rotate();
      const rotation = await rotate(sandbox, await formerKeysOf(ring), deps);
      ring = ownRing({ ...sandbox, keys: 'own' }, deps, tokenMark);
      return rotation;
    },
  };
}

function ownRing(sandbox: Sandbox, deps: SandboxKeyDependencies, tokenMark: KeyRing['tokenMark'] & string): KeyRing {
  let stored: Promise<readonly SandboxKey[]> | undefined;
  let made: { readonly maxPrevious: number; readonly set: KeySet } | undefined;

  const read = (): Promise<readonly SandboxKey[]> => {
    stored ??= readOrMake(sandbox, deps);
    stored.catch(() => {
      stored = undefined;
    });
    return stored;
  };
  const current = async (): Promise<KeySet> => {
    const maxPrevious = deps.maxPrevious();
    if (made?.maxPrevious === maxPrevious) return made.set;
    made = { maxPrevious, set: keySetOf(await read(), maxPrevious) };
    return made.set;
  };
  return {
    tokenMark,
    signingKey: async () => (await current()).signing,
    verificationKey: async (kid) => (await current()).verificationKey(kid),
    publicKeys: async () => (await current()).jwks,
    information: async () => (await current()).information,
    rotationRefusal: async () => undefined,
    rotate: async () => {
      await read();
      const rotation = await rotate(sandbox, [], deps);
      stored = undefined;
      made = undefined;
      return rotation;
    },
  };
}

/** No key lay ready at the creation: whoever needs it first makes it, and of several the first one counts (SBX-43). */
async function readOrMake(sandbox: Sandbox, { store, draw }: SandboxKeyDependencies) {
  const present = await store.keys(sandbox);
  if (present.length > 0) return present;
  return store.addKey(sandbox, await draw(), { first: true, keptMax: formerKeysKept });
}

async function rotate(
  sandbox: Sandbox,
  former: readonly SandboxKey[],
  { store, draw, realClock, maxPrevious }: SandboxKeyDependencies,
): Promise<KeyRotation> {
  const key = await draw();
  const [, ...previous] = await store.addKey(sandbox, key, { former, keptMax: formerKeysKept });
  return {
    old_kid: previous[0]?.kid ?? key.kid,
    new_kid: key.kid,
    previous_keys_count: Math.min(previous.length, maxPrevious()),
    rotated_at: new Date(realClock.now()).toISOString(),
  };
}

async function formerKeysOf(ring: KeyRing): Promise<readonly SandboxKey[]> {
  const keys = await Promise.all(
    (await ring.publicKeys()).map(async ({ kid }) => ({ kid, key: await ring.verificationKey(kid) })),
  );
  return keys.flatMap(({ kid, key }) =>
    key === undefined ? [] : { kid, publicKeyPem: publicKeyPem(key.publicKey), own: undefined },
  );
}

function keySetOf([active, ...previous]: readonly SandboxKey[], maxPrevious: number): KeySet {
  if (active?.own === undefined) throw new Error('The newest key of a sandbox has no private part.');
  const pair = readPrivateKey(active.own.privateKeyPem);
  return generatedKeySet(
    { kid: active.kid, pair, certificatePem: active.own.certificatePem },
    previous.map(({ kid, publicKeyPem: pem }) => ({ kid, publicKey: readPublicKey(pem) })),
    maxPrevious,
  );
}
