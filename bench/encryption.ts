// What encryption costs at /saml/sso (ENC-14): the same login answered for two service providers in turns, of which one has
// its assertions encrypted by the usual algorithms.
import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { systemClock } from '#shared/base/clock.ts';
import { generateRsaKeyPair } from '#shared/state/keys/key-pair.ts';
import { selfSignedCertificate } from '#shared/state/keys/self-signed-certificate.ts';
import { inTurns, share } from './in-turns.ts';
import { all, type Measured, measuredLoad, warmUp } from './measured-load.ts';
import { median } from './median.ts';
import { prepareDirectory, programsOn } from './programs.ts';
import { assertionConsumer, checkSigned, loggedInCookie, responseIn, singleSignOn } from './single-sign-on.ts';
import type { StartedProgram } from './started-program.ts';

interface EncryptionBench {
  /** Pairs of loads. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const ways = { plain: 'urn:bench:plain', encrypted: 'urn:bench:encrypted' } as const;
type Way = keyof typeof ways;

export async function benchEncryption({ rounds, print }: EncryptionBench): Promise<void> {
  const pair = await generateRsaKeyPair();
  const directory = prepareDirectory({ saml: { service_providers: serviceProviders(pair) } });
  try {
    const program = await programsOn(directory).ours();
    try {
      const cookie = await loggedInCookie(program);
      const loadOf = (way: Way) => () => measure(way, program, cookie, pair.privateKey);
      for (const way of ['plain', 'encrypted'] as const) {
        await warmUp({ program, request: () => singleSignOn(program, cookie, ways[way]) });
      }
      const { plain, encrypted } = await inTurns(rounds, { plain: loadOf('plain'), encrypted: loadOf('encrypted') });
      const middle = (of: readonly Measured[], what: 'rate' | 'cpu', digits: number) =>
        median(all(of, what)).toFixed(digits);
      print('\nSAML single sign-on, session present, the assertion encrypted and plain, in turns:');
      print(
        `  ${middle(encrypted, 'rate', 0)}/s, plain ${middle(plain, 'rate', 0)}/s: ${share(all(encrypted, 'rate'), all(plain, 'rate'))}, at least 0.60`,
      );
      print(
        `  processor time of a request: ${middle(encrypted, 'cpu', 3)} ms, plain ${middle(plain, 'cpu', 3)} ms: ${share(all(plain, 'cpu'), all(encrypted, 'cpu'))}`,
      );
    } finally {
      await program.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function serviceProviders(pair: Parameters<typeof selfSignedCertificate>[0]) {
  const encryption_certificate = selfSignedCertificate(pair, systemClock.now());
  return [
    { entity_id: ways.plain, acs: assertionConsumer },
    { entity_id: ways.encrypted, acs: assertionConsumer, encrypt: ['assertion'], encryption_certificate },
  ];
}

async function measure(way: Way, program: StartedProgram, cookie: string, key: KeyObject): Promise<Measured> {
  const operation = singleSignOn(program, cookie, ways[way]);
  const measured = await measuredLoad({ program, request: () => operation });
  for (const sample of measured.samples) {
    const response = responseIn(sample);
    const isEncrypted = response.includes('EncryptedAssertion>');
    const readable = isEncrypted ? decrypted(response, key) : response;
    checkSigned(readable);
    if (isEncrypted !== (way === 'encrypted') || !/<\w+:NameID\b/.test(readable)) {
      throw new Error(`the Response for ${ways[way]} is another one:\n${response}`);
    }
  }
  return measured;
}

/** AES-256-GCM, the nonce in front and the tag behind, under RSA-OAEP with SHA-1: what an entry gets that names nothing. */
function decrypted(response: string, key: KeyObject): string {
  const values = [...response.matchAll(/CipherValue>([^<]+)</g)].map(([, text = '']) => Buffer.from(text, 'base64'));
  const [contentKey, content] = values;
  if (contentKey === undefined || content === undefined) throw new Error(`nothing is encrypted:\n${response}`);
  const unwrapped = privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, contentKey);
  const decipher = createDecipheriv('aes-256-gcm', unwrapped, content.subarray(0, 12));
  decipher.setAuthTag(content.subarray(-16));
  return Buffer.concat([decipher.update(content.subarray(12, -16)), decipher.final()]).toString();
}
