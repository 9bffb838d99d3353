import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { instant } from '#shared/base/clock.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { describeFinding } from '#shared/model/configuration/finding.ts';
import { loadConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { generateRsaKeyPair } from '#shared/state/keys/key-pair.ts';
import { selfSignedCertificate } from '#shared/state/keys/self-signed-certificate.ts';
import { requiredTool } from '#test/support/debian-programs.ts';
import { signedXml } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { postBinding, redirectBinding, spMetadata } from '#test/support/saml/sp-metadata.ts';
import { verifies } from '#test/support/verifies.ts';

describe('Service providers in settings.yaml', () => {
  let directory: string;
  let sp: string;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-sp-'));
    sp = (await signingKey('sp')).certificatePem;
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  const load = (entries: unknown) =>
    loadConfiguration(
      { settings: stringify({ saml: { service_providers: entries } }), users: 'users: {}' },
      { directory, environment: {}, problemsOfFault },
    );
  const lines = (entries: unknown) =>
    load(entries).findings.map((finding) => `${finding.level}: ${describeFinding(finding)}`);
  const accepted = (entries: unknown) => {
    const { configuration, findings } = load(entries);
    if (configuration === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
    return [...configuration.serviceProviders.values()];
  };
  const only = (entry: object) => accepted([entry])[0];
  /** The findings about a metadata file, without its directory. */
  const about = (text: string, entry: object = {}) => {
    write('sp.xml', text);
    return lines([{ metadata_file: 'sp.xml', ...entry }]).map((line) => line.replace(`${directory}/`, ''));
  };

  verifies('SPM-01', 'need only a unique name', () => {
    expect(only({ entity_id: 'urn:a' })).to.deep.include({
      entity_id: 'urn:a',
      acs: [],
      certificates: [],
      want_signed_requests: false,
      sign: undefined,
      encrypt: [],
      idp_initiated: true,
      relay_state: undefined,
    });
    write('sp.xml', spMetadata({ entityId: 'urn:from-file' }));
    expect(only({ metadata_file: 'sp.xml' })?.entity_id).to.equal('urn:from-file');
    const everything = {
      entity_id: 'urn:all',
      title: 'All',
      acs: 'https://a.example/acs',
      certificates: [sp],
      want_signed_requests: true,
      sign: 'both',
      name_id_format: 'emailAddress',
      name_id_from: 'username',
      attributes: [{ name: 'a', from: 'email', name_format: 'uri', friendly_name: 'mail', as: 'text' }],
      attribute_services: [{ index: 1, default: true, attributes: ['a'] }],
      slo: [{ url: 'https://a.example/slo', binding: 'SOAP' }],
      encrypt: ['assertion'],
      encryption: { content: 'aes128-gcm' },
      encryption_certificate: sp,
      idp_initiated: false,
      relay_state: 'r',
    };
    expect(lines([everything])).to.deep.equal([]);
    expect(lines([{ title: 'nameless' }])).to.deep.equal([
      'error: settings.yaml:3:7 saml.service_providers[0].entity_id is missing. Write it, or name a metadata_file.',
    ]);
    const [twice] = lines([{ entity_id: 'urn:a' }, { entity_id: 'urn:a' }]);
    expect(twice).to.match(/^error: settings\.yaml:4:\d+ saml\.service_providers\[1\]\.entity_id.* an earlier service/);
    expect(lines([{ entity_id: 'urn:a', tittle: 'x' }]).join()).to.contain('Did you mean "title"?');
  });

  verifies('SPM-02', 'have an assertion consumer service that is a string or a mapping with bounds', () => {
    expect(only({ entity_id: 'urn:a', acs: 'https://a.example/acs' })?.acs).to.deep.equal([
      { url: 'https://a.example/acs' },
    ]);
    const acs = [
      'https://a.example/1',
      { url: 'https://a.example/2', index: 65535, default: true },
      { url: 'https://a.example/3', index: 0, binding: 'HTTP-Artifact' },
    ];
    expect(lines([{ entity_id: 'urn:a', acs }]).map((line) => line.replace(/settings\S+ /, ''))).to.deep.equal([
      'warning: saml.service_providers[0].acs[2].binding (service provider "urn:a") has no effect, because responses are always posted',
    ]);
    expect(only({ entity_id: 'urn:a', acs })?.acs).to.have.length(3);
    for (const wrong of [
      [{ url: 'https://a.example', index: 65536 }],
      [{ url: 'https://a.example', index: 1.5 }],
      [{ url: 'https://a.example', index: -1 }],
      [{ url: 'nowhere' }],
      [{ url: 'https://a.example', binding: 'HTTP-PUT' }],
      [
        { url: 'https://a.example', index: 1 },
        { url: 'https://b.example', index: 1 },
      ],
      [
        { url: 'https://a.example', default: true },
        { url: 'https://b.example', default: true },
      ],
    ]) {
      expect(load([{ entity_id: 'urn:a', acs: wrong }]).configuration, JSON.stringify(wrong)).to.equal(undefined);
    }
  });

  verifies('SPM-03', 'have RSA certificates, as path or PEM, and an expired one only causes a warning', async () => {
    write('sp.pem', sp);
    expect(only({ entity_id: 'urn:a', certificates: 'sp.pem' })?.certificates).to.deep.equal([sp.trim()]);
    expect(only({ entity_id: 'urn:a', certificates: [sp], encryption_certificate: 'sp.pem' })).to.deep.include({
      certificates: [sp.trim()],
      encryption_certificate: sp.trim(),
    });
    write(
      'ec.pem',
      execFileSync(
        requiredTool('openssl'),
        [
          ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
          ...['-keyout', '/dev/null', '-subj', '/CN=ec', '-days', '2'],
        ],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      ).toString(),
    );
    write('broken.pem', 'no certificate');
    for (const [path, reason] of [
      ['ec.pem', 'has no RSA key'],
      ['broken.pem', 'has no PEM certificate'],
      ['missing.pem', 'names a file that cannot be read (ENOENT)'],
    ] as const) {
      expect(lines([{ entity_id: 'urn:a', certificates: [path] }]).join()).to.contain(
        `saml.service_providers[0].certificates[0] (service provider "urn:a") ${reason}`,
      );
      expect(lines([{ entity_id: 'urn:a', encryption_certificate: path }]).join()).to.contain(reason);
    }
    const past = selfSignedCertificate(await generateRsaKeyPair(), instant(Date.parse('2001-01-01')));
    expect(lines([{ entity_id: 'urn:a', certificates: [past] }]).join()).to.match(/^warning: .*has expired/);
    expect(only({ entity_id: 'urn:a', certificates: [past] })?.certificates).to.have.length(1);
  });

  verifies(['SPM-04', 'SPM-05'], 'use metadata for members that the entry omits', () => {
    write(
      'sp.xml',
      spMetadata({
        signing: sp,
        encryption: sp,
        roleAttributes: ' AuthnRequestsSigned="true" WantAssertionsSigned="1"',
        formats:
          '<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos</md:NameIDFormat>' +
          '<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</md:NameIDFormat>',
        consumers:
          `<md:AssertionConsumerService Binding="${postBinding}" Location="https://sp.example/1" index="4"/>` +
          `<md:AssertionConsumerService Binding="${postBinding}" Location="https://sp.example/2" index="7" isDefault="true"/>`,
        logout: `<md:SingleLogoutService Binding="${redirectBinding}" Location="https://sp.example/slo" ResponseLocation="https://sp.example/slo-done"/>`,
        services:
          '<md:AttributeConsumingService index="3" isDefault="true"><md:ServiceName xml:lang="en">x</md:ServiceName>' +
          '<md:RequestedAttribute Name="mail"/><md:RequestedAttribute Name="cn"/></md:AttributeConsumingService>',
      }),
    );
    const described = only({ metadata_file: 'sp.xml' });
    expect({ ...described, certificates: described?.certificates.length, encryption_certificate: '' }).to.deep.include({
      entity_id: 'https://sp.example',
      acs: [
        { url: 'https://sp.example/1', index: 4, default: undefined, binding: 'HTTP-POST' },
        { url: 'https://sp.example/2', index: 7, default: true, binding: 'HTTP-POST' },
      ],
      certificates: 1,
      want_signed_requests: true,
      sign: undefined,
      name_id_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
      slo: [{ url: 'https://sp.example/slo', response_url: 'https://sp.example/slo-done', binding: 'HTTP-Redirect' }],
      attribute_services: [{ index: 3, default: true, attributes: ['mail', 'cn'] }],
    });
    expect(described?.encryption_certificate).to.contain('BEGIN CERTIFICATE');
    const own = only({
      metadata_file: 'sp.xml',
      acs: 'https://own.example/acs',
      want_signed_requests: false,
      name_id_format: 'persistent',
      slo: [],
    });
    expect(own).to.deep.include({
      entity_id: 'https://sp.example',
      acs: [{ url: 'https://own.example/acs' }],
      want_signed_requests: false,
      name_id_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      slo: [],
      attribute_services: [{ index: 3, default: true, attributes: ['mail', 'cn'] }],
    });
    const federation = (...ids: string[]) =>
      `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${ids
        .map((entityId) => spMetadata({ entityId }).replace(/<\?xml[^>]*>/, ''))
        .join('')}</md:EntitiesDescriptor>`;
    write('sp.xml', federation('urn:one', 'urn:two'));
    expect(only({ entity_id: 'urn:two', metadata_file: 'sp.xml' })?.entity_id).to.equal('urn:two');
  });

  verifies('SPM-06', 'are rejected for errors in metadata, with the place in the metadata', () => {
    const consumer = (attributes: string) => `    <md:AssertionConsumerService ${attributes}/>\n`;
    const right = `Binding="${postBinding}" Location="https://sp.example/acs" index="0"`;
    const cases: readonly (readonly [text: string, line: RegExp])[] = [
      ['<md:EntityDescriptor', /^error: sp\.xml:1:\d+ is not valid XML/],
      [`<a>\n  <b></a>`, /^error: sp\.xml:2:\d+ is not valid XML: it has a closing tag/],
      ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<a>&x;</a>', /^error: sp\.xml:1:1 .*document type/],
      ['<a/>', /^error: sp\.xml:1:1 the root element must be an EntityDescriptor/],
      [
        spMetadata().replaceAll('SPSSODescriptor', 'IDPSSODescriptor'),
        /^error: sp\.xml:2:1 an SPSSODescriptor for SAML 2.0 is missing/,
      ],
      [
        spMetadata().replace('SAML:2.0:protocol', 'SAML:1.1:protocol'),
        /^error: sp\.xml:2:1 an SPSSODescriptor for SAML 2.0 is missing/,
      ],
      [
        spMetadata({ consumers: consumer(right.replace(postBinding, redirectBinding)) }),
        /^error: sp\.xml:3:3 an AssertionConsumerService with HTTP-POST is missing/,
      ],
      [
        spMetadata({ consumers: consumer(right.replace('https://sp.example/acs', '/acs')) }),
        /^error: sp\.xml:4:\d\d+ Location must be an absolute http or https URL/m,
      ],
      [
        spMetadata({ consumers: consumer(right.replace(' index="0"', '')) + consumer(right) }),
        /^error: sp\.xml:4:5 index must be a whole number/,
      ],
      [
        spMetadata({ consumers: consumer(right) + consumer(right) }),
        /^error: sp\.xml:5:\d\d+ index is already the index of an earlier AssertionConsumerService/,
      ],
      [spMetadata({ signing: 'AAAA' }), /^error: sp\.xml:4:\d+ the certificate cannot be read/],
    ];
    for (const [text, expected] of cases) {
      expect(about(text).join('\n'), text).to.match(expected);
      expect(load([{ metadata_file: 'sp.xml' }]).configuration).to.equal(undefined);
    }
    // The attribute itself: the column of Location in the fourth line.
    const wrong = spMetadata({ consumers: consumer(right.replace('https://sp.example/acs', 'x:y')) });
    const column = (wrong.split('\n')[3] ?? '').indexOf('Location=') + 1;
    expect(about(wrong)[0]).to.match(new RegExp(`^error: sp\\.xml:4:${column} Location`));
    const several = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${spMetadata().replace(/<\?xml[^>]*>/, '')}</md:EntitiesDescriptor>`;
    expect(about(several, { entity_id: 'urn:other' })[0]).to.match(
      /^error: sp\.xml:1:1 .*no entity with this entity_id/,
    );
    expect(about(`<a>${'x'.repeat(1024 * 1024)}</a>`).join()).to.match(/^error: settings\.yaml.*larger than 1 MiB/);
    const bomb = `<a ${Array.from({ length: 300 }, (_, index) => `a${index}="x"`).join(' ')}/>`;
    expect(about(bomb).join()).to.match(/^error: sp\.xml:1:\d+ is not valid XML: it has a tag with more than 256/);
  });

  verifies('SPM-07', 'cause only a warning for doubtful metadata', async () => {
    const warnings = (text: string, entry?: object) => {
      const found = about(text, entry);
      expect(load([{ metadata_file: 'sp.xml', ...entry }]).configuration).to.not.equal(undefined);
      return found;
    };
    expect(warnings(spMetadata({ entityAttributes: ' validUntil="2001-01-01T00:00:00Z"' }))[0]).to.match(
      /^warning: sp\.xml:2:\d+ validUntil is in the past/,
    );
    expect(warnings(spMetadata({ logout: '    <md:NoSuchThing/>\n' }))[0]).to.match(
      /^warning: sp\.xml:4:5 unknown element NoSuchThing/,
    );
    const plain = (host: string) =>
      spMetadata({
        consumers: `    <md:AssertionConsumerService Binding="${postBinding}" Location="http://${host}/acs" index="0"/>\n`,
      });
    expect(warnings(plain('sp.example'))[0]).to.match(/^warning: sp\.xml:4:\d+ Location is an http URL/);
    expect(warnings(plain('127.0.0.1:8080'))).to.deep.equal([]);
    expect(warnings(plain('localhost'))).to.deep.equal([]);

    const signed = signedXml(spMetadata({ entityAttributes: ' ID="_m"' }), await signingKey('sp'), {
      after: "/*/*[local-name()='SPSSODescriptor']",
    });
    expect(warnings(signed)[0]).to.match(/^warning: sp\.xml:\d+:\d+ no certificate of the entry verifies/);
    const otherCertificate = (await signingKey('stranger')).certificatePem;
    expect(warnings(signed, { certificates: [otherCertificate] })[0]).to.match(
      /^warning: .*no certificate of the entry/,
    );
    expect(warnings(signed, { certificates: [sp] })).to.deep.equal([]);
  });
});
