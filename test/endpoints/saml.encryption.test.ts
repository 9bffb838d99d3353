// Encrypted assertions, identifiers and attributes as a service provider receives them.
import { constants, createDecipheriv, privateDecrypt, X509Certificate } from 'node:crypto';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Element } from '@xmldom/xmldom';
import { expect } from 'chai';
import { encryptedData } from '#services/saml/encryption/encrypt-element.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { saml2 } from '#shared/protocol/saml/vocabulary.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import { declaring } from '#shared/protocol/saml/xml-element.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import { decryptWithXmlsec } from '#test/support/saml/decrypt-with-xmlsec.ts';
import { encryptedInContext } from '#test/support/saml/encrypted-id.ts';
import {
  all,
  attributesIn,
  authnRequest,
  delivered,
  nameIdIn,
  namespaces,
  redirectQuery,
  rootOf,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { spMetadata } from '#test/support/saml/sp-metadata.ts';
import { verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const registered = 'https://registered.example';
const scope = new Map([['saml2', 'urn:oasis:names:tc:SAML:2.0:assertion']]);
const xenc = 'http://www.w3.org/2001/04/xmlenc#';

/** As a service provider reads it that looks up the key by its Id: AES-256-GCM below RSA-OAEP with SHA-1. */
function decryptBeside(container: Element, { privateKey }: SigningKey): string {
  const octets = (local: string) => {
    const [element] = all(container, xenc, local);
    const value = element && [...element.childNodes].find(({ localName }) => localName === 'CipherData');
    return Buffer.from(value?.textContent ?? '', 'base64');
  };
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const key = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, octets('EncryptedKey'));
  const content = octets('EncryptedData');
  const decipher = createDecipheriv('aes-256-gcm', key, content.subarray(0, 12));
  decipher.setAuthTag(content.subarray(-16));
  return Buffer.concat([decipher.update(content.subarray(12, -16)), decipher.final()]).toString();
}

describe('/saml/sso: encryption', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let sp: SigningKey;
  let idpCertificate: string;
  before(async () => {
    sp = await signingKey('sp');
    idp = await startIdp({ world: saml });
    idpCertificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const entry = (further: object) => ({
    entity_id: registered,
    acs: `${registered}/acs`,
    encryption_certificate: sp.certificatePem,
    ...further,
  });
  const configure = (further: object, settings: object = {}) =>
    idp.configure({ settings: { saml: { service_providers: [entry(further)], ...settings } } });
  const ask = async (attributes = '') => {
    const query = redirectQuery(authnRequest({ issuer: registered, acs: undefined, attributes }));
    return delivered(await alice.get(`/saml/sso?${query}`));
  };
  const children = (xml: string) =>
    [...rootOf(xml).childNodes].flatMap((node) => (node.nodeType === 1 ? [node.nodeName] : []));
  const decrypt = (xml: string) => decryptWithXmlsec(xml, sp);
  const assertionOf = (xml: string) => /<saml2:Assertion[\s\S]*<\/saml2:Assertion>/.exec(xml)?.[0] ?? '';
  const refusal = (settings: object) =>
    idp.configure({ settings: { saml: settings } }).then(
      () => 'accepted',
      (error: unknown) => String(error),
    );

  verifies('ENC-01', 'encrypts the configured parts, and requires a certificate', async () => {
    for (const encrypt of [undefined, []]) {
      await configure({ ...(encrypt === undefined ? {} : { encrypt }) });
      expect((await ask()).xml).to.not.contain('xenc');
    }
    const bare = { ...entry({ encrypt: ['assertion'] }), encryption_certificate: null };
    const message = await refusal({ service_providers: [bare] });
    expect(message).to.contain('encrypt').and.contain(registered);
    expect(await refusal({ service_providers: [entry({ encrypt: ['everything'] })] })).to.contain('encrypt');
  });

  verifies('ENC-02', 'accepts only the listed names of algorithms', async () => {
    for (const encryption of [
      { content: 'aes192-gcm' },
      { key: 'rsa-oaep-sha1' },
      { digest: 'md5' },
      { mgf: 'sha384', key: 'rsa-oaep' },
      { mgf: 'sha256' },
      { key: 'rsa-1_5', mgf: 'sha1' },
      { cipher: 'aes', content: 3 },
    ]) {
      expect(await refusal({ service_providers: [entry({ encrypt: ['assertion'], encryption })] })).to.contain(
        'encryption',
      );
    }
    const algorithms = async (encryption: object | undefined) => {
      await configure({ encrypt: ['assertion'], ...(encryption === undefined ? {} : { encryption }) });
      const { root } = await ask();
      const [encrypted = root] = all(root, xenc, 'EncryptedData');
      return ['EncryptionMethod', 'DigestMethod', 'MGF'].flatMap((local) =>
        all(encrypted, '*', local).map((each) => each.getAttribute('Algorithm')?.replace(/.*[#]/, '')),
      );
    };
    expect(await algorithms(undefined)).to.deep.equal(['aes256-gcm', 'rsa-oaep-mgf1p', 'sha1']);
    expect(await algorithms({ key: 'rsa-oaep', digest: 'sha512' })).to.deep.equal([
      ...['aes256-gcm', 'rsa-oaep', 'sha512', 'mgf1sha256'],
    ]);
    expect(await algorithms({ key: 'rsa-oaep', content: 'aes128-gcm', mgf: 'sha512' })).to.deep.equal([
      ...['aes128-gcm', 'rsa-oaep', 'sha1', 'mgf1sha512'],
    ]);
  });

  verifies(
    ['SRE-K08', 'SRE-11'],
    'puts the EncryptedKey behind the EncryptedData where the entry says so',
    async () => {
      const invalid = entry({ encrypt: ['assertion'], encryption: { key_place: 'outside' } });
      expect(await refusal({ service_providers: [invalid] }))
        .to.contain('key_place')
        .and.contain('inside, beside');
      for (const encrypt of [['assertion'], ['name_id', 'attributes']]) {
        await configure({ encrypt });
        expect((await ask()).xml).to.not.match(
          /RetrievalMethod|ReferenceList|Recipient="https:\/\/registered.example"/,
        );
        await configure({ encrypt, encryption: { key_place: 'beside' } });
        const { root, xml } = await ask();
        await verifyWithXmlsec(xml, idpCertificate);
        const containers = all(root, namespaces.assertion, '*').filter(({ localName }) =>
          ['EncryptedAssertion', 'EncryptedID', 'EncryptedAttribute'].includes(localName ?? ''),
        );
        expect(containers.map(({ localName }) => localName).slice(0, 2)).to.deep.equal(
          encrypt[0] === 'assertion' ? ['EncryptedAssertion'] : ['EncryptedID', 'EncryptedAttribute'],
        );
        const ids = new Set<string>();
        for (const container of containers) {
          expect([...container.childNodes].map(({ nodeName }) => nodeName)).to.deep.equal([
            ...['xenc:EncryptedData', 'xenc:EncryptedKey'],
          ]);
          const [data = container] = all(container, xenc, 'EncryptedData');
          const [key = container] = all(container, xenc, 'EncryptedKey');
          const [retrieval] = all(data, namespaces.signature, 'RetrievalMethod');
          const [reference] = all(key, xenc, 'DataReference');
          expect(key.getAttribute('Recipient')).to.equal(registered);
          expect(retrieval?.getAttribute('Type')).to.equal('http://www.w3.org/2001/04/xmlenc#EncryptedKey');
          expect(retrieval?.getAttribute('URI')).to.equal(`#${key.getAttribute('Id')}`);
          expect(reference?.getAttribute('URI')).to.equal(`#${data.getAttribute('Id')}`);
          for (const each of [data, key]) ids.add(each.getAttribute('Id') ?? '');
          expect(decryptBeside(container, sp)).to.match(/^<saml2:(?:Assertion|NameID|Attribute)\b/);
        }
        expect(ids.size).to.equal(2 * containers.length);
      }
    },
  );

  verifies(
    'SRE-11',
    'reads the algorithms of the metadata also where the entry names only the place of the key',
    async () => {
      const aes128 =
        '<md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes128-gcm"></md:EncryptionMethod>';
      const metadata = spMetadata({ entityId: registered, encryption: sp.certificatePem, encryptionMethods: aes128 });
      writeFileSync(join(idp.configDirectory, 'sp.xml'), metadata);
      const own = { metadata_file: 'sp.xml', encrypt: ['assertion'], encryption: { key_place: 'beside' } };
      await idp.configure({ settings: { saml: { service_providers: [own] } } });
      const { xml } = await ask();
      expect(xml).to.contain('xmlenc11#aes128-gcm').and.contain('RetrievalMethod');
    },
  );

  verifies(
    ['ENC-03', 'ENC-04'],
    'selects a secure algorithm from the metadata, and a weak one only if configured',
    async () => {
      const method = (uri: string, below = '') =>
        `<md:EncryptionMethod Algorithm="${uri}">${below}</md:EncryptionMethod>`;
      const sha256 = '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>';
      writeFileSync(
        join(idp.configDirectory, 'sp.xml'),
        spMetadata({
          entityId: registered,
          encryption: sp.certificatePem,
          encryptionMethods: [
            method('urn:unknown'),
            method(`${xenc}aes128-cbc`),
            method(`${xenc}rsa-1_5`),
            method('http://www.w3.org/2009/xmlenc11#aes128-gcm'),
            method('http://www.w3.org/2009/xmlenc11#aes256-gcm'),
            method('http://www.w3.org/2009/xmlenc11#rsa-oaep', sha256),
          ].join(''),
        }),
      );
      const load = (further: object) =>
        idp.configure({
          settings: { saml: { service_providers: [{ metadata_file: 'sp.xml', encrypt: ['assertion'], ...further }] } },
        });
      const used = async () =>
        all((await ask()).root, xenc, 'EncryptionMethod').map((each) => each.getAttribute('Algorithm'));
      await load({});
      expect(await used()).to.deep.equal([
        'http://www.w3.org/2009/xmlenc11#aes128-gcm',
        'http://www.w3.org/2009/xmlenc11#rsa-oaep',
      ]);
      expect(idp.log()).to.not.contain('padding oracles');
      await load({ encryption: { content: 'aes256-cbc', key: 'rsa-1_5' } });
      expect(await used()).to.deep.equal([`${xenc}aes256-cbc`, `${xenc}rsa-1_5`]);
      expect(idp.log())
        .to.match(/names aes256-cbc, which/)
        .and.to.match(/names rsa-1_5, which/);
    },
  );

  verifies(
    ['ENC-05', 'ENC-06'],
    'signs the Assertion before it is encrypted, and the Response afterwards',
    async () => {
      for (const c14n_algorithm of ['exc_c14n', 'c14n']) {
        for (const sign of ['assertion', 'both', 'response', 'none']) {
          await configure({ encrypt: ['assertion'], sign }, { c14n_algorithm });
          const { xml, root } = await ask();
          const signature = sign === 'both' || sign === 'response' ? ['ds:Signature'] : [];
          expect(children(xml)).to.deep.equal([
            'saml2:Issuer',
            ...signature,
            'saml2p:Status',
            'saml2:EncryptedAssertion',
          ]);
          const [data] = all(root, xenc, 'EncryptedData');
          expect(data?.getAttribute('Type')).to.equal('http://www.w3.org/2001/04/xmlenc#Element');
          expect(all(root, xenc, 'EncryptedKey').map((key) => key.parentNode?.parentNode)).to.deep.equal([data]);
          expect(all(root, namespaces.signature, 'X509Certificate').at(-1)?.textContent).to.equal(
            sp.certificatePem.replace(/-----[^-]+-----|\s/g, ''),
          );
          if (signature.length > 0) await verifyWithXmlsec(xml, idpCertificate);
          const assertion = assertionOf(decrypt(xml));
          expect(nameIdIn(rootOf(assertion)).value).to.equal('alice@example.com');
          if (sign === 'assertion' || sign === 'both') await verifyWithXmlsec(assertion, idpCertificate);
          else expect(assertion).to.not.contain('Signature>');
        }
      }
    },
  );

  verifies(
    ['ENC-07', 'ENC-08'],
    'encrypts identifier and attributes separately, even inside an encrypted assertion',
    async () => {
      const plain = ['alice@example.com', 'Sales, EMEA', 'E,2'];
      for (const encrypt of [
        ['name_id'],
        ['attributes'],
        ['name_id', 'attributes'],
        ['assertion', 'name_id', 'attributes'],
      ]) {
        await configure({
          encrypt,
          attributes: [
            { name: 'x', from: 'attributes.department' },
            { name: 'y', from: 'entitlements' },
          ],
        });
        const { xml, root } = await ask();
        const outer = encrypt.includes('assertion') ? 1 : 0;
        if (outer === 0) {
          await verifyWithXmlsec(xml, idpCertificate);
          expect(all(root, namespaces.assertion, 'EncryptedID')).to.have.length(encrypt.includes('name_id') ? 1 : 0);
          expect(all(root, namespaces.assertion, 'NameID')).to.have.length(encrypt.includes('name_id') ? 0 : 1);
          expect(all(root, namespaces.assertion, 'EncryptedAttribute')).to.have.length(
            encrypt.includes('attributes') ? 2 : 0,
          );
        }
        if (encrypt.includes('name_id') && encrypt.includes('attributes')) {
          for (const text of plain) expect(xml, text).to.not.contain(text);
        }
        const whole = decrypt(xml);
        expect(nameIdIn(rootOf(whole)).value).to.equal('alice@example.com');
        expect(attributesIn(rootOf(whole))).to.deep.equal([
          ['x', ['Sales, EMEA']],
          ['y', ['E1', 'E,2']],
        ]);
        const keys = all(root, xenc, 'CipherValue').map((each) => each.textContent);
        expect(new Set(keys).size).to.equal(keys.length);
        const again = all((await ask()).root, xenc, 'CipherValue').map((each) => each.textContent);
        expect(again.some((value) => keys.includes(value))).to.equal(false);
      }
    },
  );

  verifies(['ENC-10', 'ENC-11'], 'decrypts the subject of a request with its own key', async () => {
    const file = join(idp.root, 'keys', 'saml-encryption.pem');
    const metadata = async () => rootOf(await (await fetch(`${idp.baseUrl}/saml/metadata`)).text());
    const offered = async () =>
      all(await metadata(), 'urn:oasis:names:tc:SAML:2.0:metadata', 'KeyDescriptor')
        .filter((each) => each.getAttribute('use') === 'encryption')
        .map((each) => all(each, namespaces.signature, 'X509Certificate')[0]?.textContent ?? '');
    await configure({});
    expect(await offered()).to.deep.equal([]);
    expect(existsSync(file)).to.equal(false);
    await configure({}, { encryption_key: true });
    const found = await Promise.all([offered(), offered(), offered()]);
    const [certificate = ''] = found[0];
    expect(found).to.deep.equal([[certificate], [certificate], [certificate]]);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const pem = new X509Certificate(Buffer.from(certificate, 'base64'));
    expect(pem.publicKey.asymmetricKeyType).to.equal('rsa');
    await idp.api('POST', '/api/keys/rotate');
    idpCertificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    expect(await offered()).to.deep.equal([certificate]);

    const subject = (name: string, certificatePem: string, tampered = (octets: Buffer) => octets) => {
      const methods = {
        content: 'aes256-gcm',
        key: 'rsa-oaep',
        digest: 'sha256',
        mgf: 'sha1',
        key_place: 'inside',
      } as const;
      const data = encryptedData(
        saml2('NameID', {}, [name]),
        scope,
        { certificatePem, methods, tampered, recipient: '' },
        systemRandomness,
      );
      return `<saml:Subject>${writeDocument(declaring(saml2('EncryptedID', {}, data), [...scope]))}</saml:Subject>`;
    };
    const status = async (children: string) => {
      const query = redirectQuery(authnRequest({ issuer: registered, acs: undefined, children }));
      return delivered(await alice.get(`/saml/sso?${query}`)).status.join('/');
    };
    const ours = pem.toString();
    expect(await status(subject('alice', ours))).to.equal('Success');
    expect(await status(`<saml:Subject>${encryptedInContext('alice', ours)}</saml:Subject>`)).to.equal('Success');
    for (const children of [
      subject('nobody', ours),
      subject('alice', sp.certificatePem),
      subject('alice', ours, (octets) => octets.fill(0, 20, 24)),
      '<saml:Subject><saml:EncryptedID/></saml:Subject>',
    ]) {
      expect(await status(children)).to.equal('Requester/UnknownPrincipal');
    }
    await configure({});
    expect(await status(subject('alice', ours))).to.equal('Requester/UnknownPrincipal');
  });

  verifies('ENC-12', 'encrypts query responses but not errors, and applies faults before encryption', async () => {
    await configure({ encrypt: ['assertion', 'name_id'] });
    const answer = await fetch(`${idp.baseUrl}/saml/attribute-query`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: enveloped(attributeQuery({ issuer: registered })),
    });
    const text = await answer.text();
    expect(all(rootOf(text), namespaces.assertion, 'EncryptedAssertion')).to.have.length(1);
    expect(attributesIn(rootOf(decrypt(text))).map(([name]) => name)).to.include('email');
    const failed = await ask('IsPassive="true" ForceAuthn="true"');
    expect(failed.status).to.deep.equal(['Responder', 'NoPassive']);
    expect(failed.xml).to.not.contain('Encrypted');
    await configure({ encrypt: ['assertion', 'name_id'], sign: 'both' });
    await idp.api('POST', '/api/faults', { fault: 'saml_audience_wrong' });
    const { xml } = await ask();
    await verifyWithXmlsec(xml, idpCertificate);
    expect(xml).to.not.contain('AudienceRestriction');
    const whole = decrypt(xml);
    expect(whole).to.contain('AudienceRestriction').and.not.contain(`<saml2:Audience>${registered}</saml2:Audience>`);
    expect(nameIdIn(rootOf(whole)).value).to.equal('alice@example.com');
    await idp.api('DELETE', '/api/faults');
  });

  verifies(['FLS-01', 'FLS-02', 'FLS-03'], 'applies faults of encryption only to encrypted parts', async () => {
    const cases = [
      ['saml_encryption_wrong_key', undefined],
      ['saml_encryption_wrong_algorithm', 'aes192-gcm'],
      ['saml_encryption_tampered', undefined],
    ] as const;
    await configure({ encrypt: ['assertion'], sign: 'both' });
    decrypt((await ask()).xml);
    for (const [fault, named] of cases) {
      await idp.api('POST', '/api/faults', { fault });
      const { xml } = await ask();
      await idp.api('DELETE', '/api/faults');
      // The signature of the Response covers the faulty part.
      await verifyWithXmlsec(xml, idpCertificate);
      expect(all(rootOf(xml), namespaces.assertion, 'EncryptedAssertion'), fault).to.have.length(1);
      if (named !== undefined) expect(xml).to.contain(named);
      expect(() => decrypt(xml), fault).to.throw();
    }
    await configure({});
    await idp.api('POST', '/api/faults', { fault: 'saml_encryption_tampered' });
    expect((await ask()).status).to.deep.equal(['Success']);
    await idp.api('DELETE', '/api/faults');
  });
});
