// Independent programs decrypt the elements: xmlsec1 where it can, else openssl for RSA and node:crypto for AES. They
// use exactly the parameters that the identifiers name.
import { execFileSync } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Element } from '@xmldom/xmldom';
import { expect } from 'chai';
import { decrypted } from '#services/saml/encryption/decrypt-element.ts';
import { encryptedData } from '#services/saml/encryption/encrypt-element.ts';
import { systemRandomness as randomness } from '#shared/base/random.ts';
import type { EncryptionMethods } from '#shared/model/configuration/service-provider.ts';
import {
  contentCiphers,
  encryptionDigests,
  keyTransports,
} from '#shared/model/configuration/service-provider-entry.ts';
import { saml2 } from '#shared/protocol/saml/vocabulary.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import { declaring, textOf } from '#shared/protocol/saml/xml-element.ts';
import { privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { requiredTool } from '#test/support/debian-programs.ts';
import { all, only, rootOf } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifies } from '#test/support/verifies.ts';

const xenc = 'http://www.w3.org/2001/04/xmlenc#';
const scope = new Map([['saml2', 'urn:oasis:names:tc:SAML:2.0:assertion']]);
const plain = saml2('NameID', { Format: 'urn:f' }, ['Ünïcode & <marks> 𝄞']);

/** All combinations that ENC-02 allows. */
const combinations: readonly EncryptionMethods[] = contentCiphers.flatMap((content) =>
  keyTransports.flatMap((key) =>
    (key === 'rsa-1_5' ? (['sha1'] as const) : encryptionDigests).flatMap((digest) =>
      (key === 'rsa-oaep' ? encryptionDigests : (['sha256'] as const)).flatMap((mgf) =>
        (['inside', 'beside'] as const).map((key_place) => ({ content, key, digest, mgf, key_place })),
      ),
    ),
  ),
);

describe('encryption of elements', () => {
  let directory: string;
  let keyFile: string;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-enc-'));
    keyFile = join(directory, 'key.pem');
    writeFileSync(keyFile, privateKeyPem(await signingKey('sp')));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const encrypted = async (methods: EncryptionMethods) =>
    encryptedData(
      plain,
      scope,
      { certificatePem: (await signingKey('sp')).certificatePem, methods, recipient: 'urn:sp' },
      randomness,
    );
  const cipher = (element: Element) =>
    Buffer.from(
      [...element.childNodes].find(({ localName }) => localName === 'CipherData')?.textContent ?? '',
      'base64',
    );

  const expected =
    '<saml2:NameID xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" Format="urn:f">Ünïcode &amp; &lt;marks&gt; 𝄞</saml2:NameID>';
  const names: Readonly<Record<string, string>> = {
    'http://www.w3.org/2000/09/xmldsig#sha1': 'sha1',
    'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
    'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
    'http://www.w3.org/2009/xmlenc11#mgf1sha1': 'sha1',
    'http://www.w3.org/2009/xmlenc11#mgf1sha256': 'sha256',
    'http://www.w3.org/2009/xmlenc11#mgf1sha512': 'sha512',
  };

  /** Decrypts with only the algorithm identifiers in the element. */
  const readByIdentifiers = (root: Element): string => {
    const key = only(root, xenc, 'EncryptedKey');
    const [content, transport] = all(root, xenc, 'EncryptionMethod');
    const below = (local: string) =>
      names[[...(transport?.getElementsByTagNameNS('*', local) ?? [])][0]?.getAttribute('Algorithm') ?? ''];
    const options =
      transport?.getAttribute('Algorithm') === `${xenc}rsa-1_5`
        ? ['rsa_padding_mode:pkcs1']
        : [
            'rsa_padding_mode:oaep',
            `rsa_oaep_md:${below('DigestMethod') ?? 'sha1'}`,
            `rsa_mgf1_md:${transport?.getAttribute('Algorithm') === `${xenc}rsa-oaep-mgf1p` ? 'sha1' : below('MGF')}`,
          ];
    const wrapped = join(directory, 'wrapped');
    writeFileSync(wrapped, cipher(key));
    const contentKey = execFileSync(requiredTool('openssl'), [
      ...['pkeyutl', '-decrypt', '-inkey', keyFile, '-in', wrapped],
      ...options.flatMap((option) => ['-pkeyopt', option]),
    ]);
    const octets = cipher(only(root, xenc, 'EncryptedData'));
    const [, bits, mode] = /aes(\d+)-(gcm|cbc)$/.exec(content?.getAttribute('Algorithm') ?? '') ?? [];
    expect(contentKey.length * 8).to.equal(Number(bits));
    if (mode === 'gcm') {
      const decipher = createDecipheriv(
        bits === '256' ? 'aes-256-gcm' : 'aes-128-gcm',
        contentKey,
        octets.subarray(0, 12),
      );
      decipher.setAuthTag(octets.subarray(-16));
      return Buffer.concat([decipher.update(octets.subarray(12, -16)), decipher.final()]).toString();
    }
    const decipher = createDecipheriv(`aes-${bits}-cbc`, contentKey, octets.subarray(0, 16));
    return Buffer.concat([decipher.update(octets.subarray(16)), decipher.final()]).toString();
  };

  verifies('ENC-09', 'can be decrypted as its identifiers say, in every combination', async () => {
    for (const methods of combinations) {
      const text = writeDocument(declaring(saml2('EncryptedID', {}, await encrypted(methods)), [...scope]));
      expect(readByIdentifiers(rootOf(text)), JSON.stringify(methods)).to.equal(expected);
    }
  });

  verifies('ENC-09', 'can be decrypted by xmlsec1 with rsa-1_5, and with rsa-oaep-mgf1p under SHA-1', async () => {
    for (const content of contentCiphers) {
      for (const key of ['rsa-1_5', 'rsa-oaep-mgf1p'] as const) {
        const file = join(directory, 'document.xml');
        const methods = { content, key, digest: 'sha1', mgf: 'sha256', key_place: 'inside' } as const;
        writeFileSync(file, (await encrypted(methods)).map(writeDocument).join(''));
        const output = execFileSync(requiredTool('xmlsec1'), ['--decrypt', '--privkey-pem', keyFile, file], {
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        expect(rootOf(output.toString()).textContent, `${content} ${key}`).to.equal('Ünïcode & <marks> 𝄞');
      }
    }
  });

  verifies(
    ['ENC-10', 'ENC-11'],
    'can be decrypted by our own code for every algorithm, with the same error for every failure',
    async () => {
      const { privateKey } = await signingKey('sp');
      const otherKey = (await signingKey('stranger')).privateKey;
      for (const methods of combinations) {
        const container = saml2('EncryptedID', {}, await encrypted(methods));
        const read = decrypted(container, privateKey, randomness);
        expect(read && textOf(read), JSON.stringify(methods)).to.equal('Ünïcode & <marks> 𝄞');
        expect(decrypted(container, otherKey, randomness)).to.equal(undefined);
      }
      const methods: EncryptionMethods = {
        content: 'aes256-gcm',
        key: 'rsa-1_5',
        digest: 'sha1',
        mgf: 'sha256',
        key_place: 'inside',
      };
      const { certificatePem } = await signingKey('sp');
      const broken = encryptedData(
        plain,
        scope,
        {
          certificatePem,
          methods,
          recipient: 'urn:sp',
          tampered: (octets) => {
            const other = Buffer.from(octets);
            other[20] = (other[20] ?? 0) ^ 1;
            return other;
          },
        },
        randomness,
      );
      expect(decrypted(saml2('EncryptedID', {}, broken), privateKey, randomness)).to.equal(undefined);
      expect(decrypted(saml2('EncryptedID', {}, []), privateKey, randomness)).to.equal(undefined);
    },
  );
});
