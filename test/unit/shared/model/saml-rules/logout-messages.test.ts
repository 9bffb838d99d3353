import { expect } from 'chai';
import {
  issuerOf,
  type LogoutMessageProblem,
  nameIdIn,
  readLogoutRequest,
  readLogoutResponse,
} from '#shared/model/saml-rules/logout-messages.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { verifies } from '#test/support/verifies.ts';

const namespaces =
  'xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:o="urn:other"';
const whole = { ID: '_1', Version: '2.0', IssueInstant: '2026-01-01T00:00:00Z' };
type Attributes = Readonly<Record<string, string | undefined>>;

const written = (attributes: Attributes) =>
  Object.entries(attributes)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${value}"`))
    .join('');
const request = (attributes: Attributes = {}, children = '<a:NameID>alice</a:NameID>', name = 'p:LogoutRequest') =>
  parseXml(`<${name} ${namespaces}${written({ ...whole, ...attributes })}>${children}</${name}>`);
const code = (value: string, children = '') =>
  `<p:Status><p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${value}">${children}</p:StatusCode></p:Status>`;
const response = (attributes: Attributes = {}, children = code('Success'), name = 'p:LogoutResponse') =>
  parseXml(
    `<${name} ${namespaces}${written({ ...whole, InResponseTo: '_asked', ...attributes })}>${children}</${name}>`,
  );

describe('reading single logout messages', () => {
  const refused: Readonly<Record<string, [Parameters<typeof request>, LogoutMessageProblem]>> = {
    'another element': [[{}, undefined, 'p:AuthnRequest'], 'saml_logout_of_another_kind'],
    'the name in another namespace': [[{}, undefined, 'o:LogoutRequest'], 'saml_logout_of_another_kind'],
    'another version': [[{ Version: '1.1' }], 'saml_logout_version_wrong'],
    'no version': [[{ Version: undefined }], 'saml_logout_version_wrong'],
    'no ID': [[{ ID: undefined }], 'saml_logout_incomplete'],
    'an empty ID': [[{ ID: '' }], 'saml_logout_incomplete'],
    'no IssueInstant': [[{ IssueInstant: undefined }], 'saml_logout_incomplete'],
    'an IssueInstant that is a date alone': [[{ IssueInstant: '2026-01-01' }], 'saml_logout_incomplete'],
    'an IssueInstant of no calendar': [[{ IssueInstant: '2026-13-01T00:00:00Z' }], 'saml_logout_incomplete'],
    'a NotOnOrAfter that is no instant': [[{ NotOnOrAfter: 'soon' }], 'saml_logout_incomplete'],
    nobody: [[{}, ''], 'saml_logout_principal_unclear'],
    'two names': [[{}, '<a:NameID>alice</a:NameID><a:NameID>bob</a:NameID>'], 'saml_logout_principal_unclear'],
    'a name in clear beside an encrypted one': [
      [{}, '<a:NameID>alice</a:NameID><a:EncryptedID/>'],
      'saml_logout_principal_unclear',
    ],
    'a NameID of another namespace': [[{}, '<o:NameID>alice</o:NameID>'], 'saml_logout_principal_unclear'],
  };
  for (const [what, [parts, problem]] of Object.entries(refused)) {
    verifies('SLO-07', `rejects a request with ${what}`, () => {
      expect(readLogoutRequest(request(...parts))).to.equal(problem);
    });
  }

  verifies(['SLO-07', 'SLO-09', 'SLO-10'], 'returns every member of a request', () => {
    const sessions = '<p:SessionIndex> _a </p:SessionIndex><o:SessionIndex>_no</o:SessionIndex>';
    const name = '<a:NameID Format="f" NameQualifier="" SPNameQualifier="sp"> alice </a:NameID>';
    const read = readLogoutRequest(request({ NotOnOrAfter: '2026-01-01T00:05:00Z' }, name + sessions));
    if (typeof read === 'string' || read.nameId === undefined) throw new Error(`refused: ${JSON.stringify(read)}`);
    expect(read).to.deep.include({ id: '_1', notOnOrAfter: Date.UTC(2026, 0, 1, 0, 5), sessionIndexes: ['_a'] });
    expect(read.encryptedId).to.equal(undefined);
    expect(nameIdIn(read.nameId)).to.deep.equal({
      ...{ value: 'alice', format: 'f' },
      ...{ name_qualifier: undefined, sp_name_qualifier: 'sp' },
    });
  });

  const answers: Readonly<Record<string, [Parameters<typeof response>, boolean | LogoutMessageProblem]>> = {
    success: [[], true],
    'another status': [[{}, code('Responder')], false],
    'success of a part': [
      [{}, code('Success', '<p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:PartialLogout"/>')],
      false,
    ],
    'no status': [[{}, ''], 'saml_logout_incomplete'],
    'a status without code': [[{}, '<p:Status/>'], 'saml_logout_incomplete'],
    'another version': [[{ Version: '1.1' }], 'saml_logout_version_wrong'],
    'another element': [[{}, undefined, 'p:Response'], 'saml_logout_of_another_kind'],
  };
  for (const [what, [parts, meant]] of Object.entries(answers)) {
    verifies(
      'SLO-16',
      `reports a response with ${what} as ${typeof meant === 'string' ? 'rejected' : meant ? 'done' : 'not done'}`,
      () => {
        const read = readLogoutResponse(response(...parts));
        expect(read).to.deep.equal(typeof meant === 'string' ? meant : { inResponseTo: '_asked', isSuccess: meant });
      },
    );
  }

  verifies('SLO-06', 'identifies the sender by the Issuer, and has none without one', () => {
    expect(issuerOf(request({}, '<a:Issuer> https://sp.example </a:Issuer>'))).to.equal('https://sp.example');
    for (const children of ['', '<a:Issuer> </a:Issuer>', '<o:Issuer>https://sp.example</o:Issuer>']) {
      expect(issuerOf(request({}, children)), children).to.equal(undefined);
    }
  });
});
