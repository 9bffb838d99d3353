// What encryption costs at /saml/sso (ENC-14): the same login answered for two service providers in turns, of which one has
// its assertions encrypted by the usual algorithms; the ratio is the median of those of the pairs.
import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { systemClock } from '#shared/clock.ts';
import { generateRsaKeyPair } from '#shared/keys/rsa-key-pair.ts';
import { selfSignedCertificate } from '#shared/keys/self-signed-certificate.ts';
import { type Measured, measuredLoad } from './measured-load.ts';
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
      const measured: Record<Way, Measured[]> = { plain: [], encrypted: [] };
      for (let round = 0; round < rounds; round += 1) {
        // Who goes first changes from pair to pair.
        const turns: readonly Way[] = round % 2 === 0 ? ['plain', 'encrypted'] : ['encrypted', 'plain'];
        for (const way of turns) measured[way].push(await measure(way, program, cookie, pair.privateKey));
      }
      const of = (way: Way, what: 'rate' | 'cpu') => measured[way].map((each) => each[what]);
      const ratios = of('encrypted', 'rate').map((rate, round) => rate / (of('plain', 'rate')[round] ?? Number.NaN));
      const rate = (way: Way) => median(of(way, 'rate')).toFixed(0);
      const cpu = (way: Way) => median(of(way, 'cpu'));
      print('\nSAML single sign-on, session present, the assertion encrypted and plain, in turns:');
      print(
        `  ${rate('encrypted')}/s, plain ${rate('plain')}/s: ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${rounds} pairs), at least 0.60`,
      );
      print(
        `  processor time of a request: ${cpu('encrypted').toFixed(3)} ms, plain ${cpu('plain').toFixed(3)} ms: ${(cpu('plain') / cpu('encrypted')).toFixed(2)}`,
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
  const measured = await measuredLoad(program, () => operation);
  for (const sample of measured.samples) {
    const response = responseIn(sample);
    const isEncrypted = response.includes('EncryptedAssertion>');
    const told = isEncrypted ? decrypted(response, key) : response;
    checkSigned(told);
    if (isEncrypted !== (way === 'encrypted') || !/<\w+:NameID\b/.test(told)) {
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
