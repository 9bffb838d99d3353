// The recorder parses a message as the endpoint does. Otherwise a successful login would belong to no client.
import { deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { readMessage } from '#services/saml/protocol/bindings.ts';
import { lookIntoSamlParameter } from '#shared/engine/recorder/look-into-saml.ts';
import { attributeValue } from '#shared/protocol/saml/xml-element.ts';
import { authnRequest } from '#test/support/saml/service-provider.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the recorder', () => {
  const xml = authnRequest({ id: '_one', issuer: 'https://sp.example' });
  const forms = {
    'as it is': Buffer.from(xml),
    'behind a line end': Buffer.from(`\n${xml}`),
    'behind a byte order mark': Buffer.from(`\uFEFF${xml}`),
    'in UTF-16': Buffer.from(`\uFEFF${xml}`, 'utf16le'),
    deflated: deflateRawSync(xml),
    'deflated behind a line end': deflateRawSync(`\n${xml}`),
  };
  for (const [name, octets] of Object.entries(forms)) {
    verifies(['REC-05', 'SAM-14'], name, () => {
      const value = octets.toString('base64');
      expect(attributeValue(readMessage(value, 'POST', false), 'ID')).to.equal('_one');
      expect(lookIntoSamlParameter(value)).to.include({
        message: 'AuthnRequest',
        id: '_one',
        issuer: 'https://sp.example',
      });
    });
  }

  verifies('SAM-17', 'reads no SAML message that inflates to more than 1 MiB', () => {
    expect(lookIntoSamlParameter(deflateRawSync(`${xml}${' '.repeat(1024 * 1024)}`).toString('base64'))).to.equal(
      undefined,
    );
  });
});
