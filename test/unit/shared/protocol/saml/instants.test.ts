// Times in SAML documents.
import { expect } from 'chai';
import { readLogoutRequest } from '#shared/model/saml-rules/logout-messages.ts';
import { readSamlInstant } from '#shared/protocol/saml/instants.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a time in a SAML document', () => {
  const { TZ } = process.env;
  before(() => {
    process.env.TZ = 'Asia/Tokyo';
  });
  after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  verifies('SLO-08', 'is in UTC if it has no time zone, in every time zone of the machine', () => {
    const noon = Date.UTC(2026, 0, 1, 12);
    for (const written of ['2026-01-01T12:00:00', '2026-01-01T12:00:00Z', '2026-01-01T14:30:00.000+02:30']) {
      expect(readSamlInstant(written), written).to.equal(noon);
    }
    for (const none of [undefined, '', 'noon', '2026-01-01', '2026-13-01T12:00:00Z']) {
      expect(readSamlInstant(none), none).to.equal(undefined);
    }
    const request = parseXml(
      '<p:LogoutRequest xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion"' +
        ' ID="_1" Version="2.0" IssueInstant="2026-01-01T11:00:00" NotOnOrAfter="2026-01-01T12:00:00"><a:NameID>x</a:NameID></p:LogoutRequest>',
    );
    expect(readLogoutRequest(request)).to.include({ notOnOrAfter: noon });
  });
});
