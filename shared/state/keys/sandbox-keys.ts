// The keys of one sandbox. Without own keys it signs with those of the stack. Its own keys are in the store with the
// sandbox, the same for every process, and are deleted with it (SBX-40 to SBX-43). A ring belongs to one version of the
// sandbox and uses the keys stored at that time: a rotation makes another version.
import { X509Certificate } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '#shared/base/clock.ts';
import type { Sandbox } from '#shared/model/domain/sandbox.ts';
import { previousKeysMax } from '#shared/model/domain/signing-keys.ts';
import { type TokenMark, tokenMarkOf } from '#shared/model/domain/token-mark.ts';
import type { SharedSecrets } from '#shared/state/store/ports/coordination.ts';
import type { Sandboxes, SandboxKey } from '#shared/state/store/ports/sandboxes.ts';
import { keySetOfKept } from './kept-key.ts';
import { publicKeyPem } from './key-pair.ts';
import type { KeyRing, KeyRotation } from './key-ring.ts';
import type { KeySet } from './key-set.ts';

interface SandboxKeyDependencies {
  readonly store: Pick<Sandboxes, 'keys' | 'addKey'>;
  /** The keys of the stack. */
  readonly shared: KeyRing;
  /** Real time: certificates do not use the protocol's clock (TIM-18). */
  readonly realClock: Clock;
  /** A prepared key, or a new one. */
  readonly draw: () => Promise<SandboxKey>;
  /** The active `jwt.max_previous_keys`. */
  readonly maxPrevious: () => number;
  /** The secrets of the sandbox. */
  readonly secrets: SharedSecrets;
  /** The active `saml.metadata_next_key`. */
  readonly announcesNext: () => boolean;
}

export function sandboxKeyRing(sandbox: Sandbox, deps: SandboxKeyDependencies): KeyRing {
  const tokenMark = tokenMarkOf(sandbox.instanceId);
  const ringDeps: RingDependencies = { ...deps, tokenMark, nextKey: nextKeyOf(deps) };
  return sandbox.keys === 'shared' ? sharedRing(sandbox, ringDeps) : ownRing(sandbox, ringDeps);
}

interface RingDependencies extends SandboxKeyDependencies {
  readonly tokenMark: TokenMark;
  readonly nextKey: NextKey;
}

function sharedRing(sandbox: Sandbox, deps: RingDependencies): KeyRing {
  const { tokenMark } = deps;
  let ring: KeyRing = deps.shared;
  return {
    tokenMark,
    signingKey: () => ring.signingKey(),
    verificationKey: (kid) => ring.verificationKey(kid),
    publicKeys: () => ring.publicKeys(),
    information: () => ring.information(),
    // Both next keys are announced, because the sandbox or the stack may rotate first.
    announcedCertificates: async () => {
      if (ring !== deps.shared) return ring.announcedCertificates();
      const [active = '', ...others] = await ring.announcedCertificates();
      return [active, ...certificatesOf([await deps.nextKey((await ring.signingKey()).kid)]), ...others];
    },
    rotationRefusal: async () => undefined,
    // The stack signed its tokens so far, and the stack's keys still verify them here.
    rotate: async () => {
      if (ring !== deps.shared) return ring.rotate();
      const former = await formerKeysOf(ring, deps);
      const rotation = await rotate(sandbox, former, former[0]?.kid, deps);
      ring = ownRing({ ...sandbox, keys: 'own' }, deps);
      return rotation;
    },
  };
}

function ownRing(sandbox: Sandbox, deps: RingDependencies): KeyRing {
  const { tokenMark } = deps;
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
    announcedCertificates: async () => {
      for (;;) {
        const [active, ...previous] = await read();
        if (active === undefined) throw new Error('A sandbox with its own keys has no key.');
        const next = await deps.nextKey(active.kid);
        const kept = previous.slice(0, deps.maxPrevious());
        if ((await read())[0]?.kid === active.kid) return certificatesOf([active, next, ...kept]);
      }
    },
    rotationRefusal: async () => undefined,
    rotate: async () => {
      const [active] = await read();
      const rotation = await rotate(sandbox, [], active?.kid, deps);
      stored = undefined;
      made = undefined;
      return rotation;
    },
  };
}

/**
 * No key was prepared at the creation. The first process that needs one makes it, and the first stored one counts
 * (SBX-43).
 */
async function readOrMake(sandbox: Sandbox, { store, draw }: SandboxKeyDependencies) {
  const present = await store.keys(sandbox);
  if (present.length > 0) return present;
  return store.addKey(sandbox, await draw(), { first: true, keptMax: previousKeysMax });
}

async function rotate(
  sandbox: Sandbox,
  former: readonly SandboxKey[],
  activeKid: string | undefined,
  deps: RingDependencies,
): Promise<KeyRotation> {
  const { store, draw, realClock, maxPrevious } = deps;
  const announced =
    activeKid !== undefined && deps.announcesNext()
      ? { after: activeKid, key: await deps.nextKey(activeKid) }
      : undefined;
  const drawn = await draw();
  const [active = drawn, ...previous] = await store.addKey(sandbox, drawn, {
    ...{ former, announced, keptMax: previousKeysMax },
  });
  return {
    old_kid: previous[0]?.kid ?? active.kid,
    new_kid: active.kid,
    previous_keys_count: Math.min(previous.length, maxPrevious()),
    rotated_at: new Date(realClock.now()).toISOString(),
  };
}

type NextKey = (activeKid: string) => Promise<SandboxKey>;

/** The key that the next rotation after a key makes active, the same for every process (SPM-31). */
function nextKeyOf({ secrets, draw }: SandboxKeyDependencies): NextKey {
  const known = new Map<string, Promise<SandboxKey>>();
  return (activeKid) => {
    const present = known.get(activeKid);
    if (present !== undefined) return present;
    const key = draw()
      .then((drawn) => secrets.get(`signing-key-after-${activeKid}`, () => JSON.stringify(drawn)))
      .then((text) => announcedKeyModel.parse(JSON.parse(text)));
    known.set(activeKid, key);
    // After a failure the next request tries again.
    key.catch(() => known.delete(activeKid));
    return key;
  };
}

const announcedKeyModel = z.object({
  kid: z.string(),
  publicKeyPem: z.string(),
  privateKeyPem: z.string(),
  certificatePem: z.string(),
});

function certificatesOf(keys: readonly SandboxKey[]): readonly string[] {
  return keys.map(({ certificatePem }) => certificatePem).filter((pem) => pem !== undefined);
}

async function formerKeysOf(
  ring: KeyRing,
  { announcesNext }: Pick<SandboxKeyDependencies, 'announcesNext'>,
): Promise<readonly SandboxKey[]> {
  const pems = announcesNext() ? await ring.announcedCertificates() : [(await ring.signingKey()).certificatePem];
  const certificates = pems.map((pem) => new X509Certificate(pem));
  const keys = await Promise.all(
    (await ring.publicKeys()).map(async ({ kid }) => ({ kid, key: await ring.verificationKey(kid) })),
  );
  return keys.flatMap(({ kid, key }) => {
    if (key === undefined) return [];
    const certificate = certificates.find(({ publicKey }) => publicKey.equals(key.publicKey));
    const certificatePem = certificate?.toString();
    return { kid, publicKeyPem: publicKeyPem(key.publicKey), privateKeyPem: undefined, certificatePem };
  });
}

function keySetOf([active, ...previous]: readonly SandboxKey[], maxPrevious: number): KeySet {
  if (active?.privateKeyPem === undefined || active.certificatePem === undefined) {
    throw new Error('The newest key of a sandbox has no private part.');
  }
  const { kid, publicKeyPem: pem, privateKeyPem, certificatePem } = active;
  return keySetOfKept({ kid, publicKeyPem: pem, privateKeyPem, certificatePem }, previous, maxPrevious);
}
