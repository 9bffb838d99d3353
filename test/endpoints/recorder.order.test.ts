// What readers see of requests that other processes answered: all earlier responses, in order.
import { deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { web } from '#test/support/credentials.ts';
import { rawRequest } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

interface Listed {
  readonly id: string;
  readonly endpoint: string;
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

describe('the recorder of several processes', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'start', args: ['--oidc-workers', '2'] });
  });
  beforeEach(() => idp.api('DELETE', '/api/flows'));
  after(() => idp.stop());

  const numberOf = ({ id }: Listed) => Number(id.slice(1));

  const samlRequest = (issuer: string) => {
    const xml = `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_of-this-test" Version="2.0"
      IssueInstant="${new Date().toISOString()}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"
      >${issuer}</saml:Issuer></samlp:AuthnRequest>`;
    return `/saml/sso?SAMLRequest=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}`;
  };

  verifies(
    ['REC-15', 'REC-27'],
    'includes a SAML request in cursor and verdict once its response arrived',
    async () => {
      const cursors: number[] = [];
      const statuses: string[] = [];
      for (let round = 0; round < 8; round += 1) {
        await call(idp, samlRequest(`https://sp.example/${round}`));
        cursors.push(Number((await idp.api('GET', '/api/exchanges?limit=1')).body.cursor));
        await call(idp, samlRequest(`https://other.example/${round}`));
        statuses.push((await idp.api('GET', `/api/verdict?sp=https://other.example/${round}`)).body.status);
      }
      expect(statuses).to.not.include('nothing_seen');
      const { exchanges } = (await idp.api('GET', '/api/exchanges?endpoint=saml_sso')).body;
      const numbers = exchanges.map(numberOf);
      expect(numbers).to.have.length(16);
      for (const [round, cursor] of cursors.entries()) expect(numbers[2 * round], `of round ${round}`).to.equal(cursor);
    },
  );

  verifies(['REC-13', 'REC-15'], 'lists the responses of two front ends in order', async () => {
    const sent: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const mark = `round-${round}`;
      // One connection each, so that both front ends respond.
      await rawRequest(`${idp.baseUrl}/.well-known/openid-configuration?mark=${mark}`);
      sent.push(`discovery ${mark}`);
      await rawRequest(`${idp.baseUrl}${authorizePath({ state: mark })}`);
      sent.push(`authorize ${mark}`);
      await rawRequest(`${idp.baseUrl}/.well-known/jwks.json?mark=${mark}`);
      sent.push(`jwks ${mark}`);
      await rawRequest(`${idp.baseUrl}/token`, {
        method: 'POST',
        headers: { ...web, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `grant_type=client_credentials&mark=${mark}`,
      });
      sent.push(`token ${mark}`);
    }
    const { exchanges } = (await idp.api('GET', '/api/exchanges?limit=1000')).body;
    const markOf = ({ parameters }: Listed) =>
      parameters.find(({ name }) => name === 'mark' || name === 'state')?.value ?? '';
    expect(exchanges.map((one: Listed) => `${one.endpoint} ${markOf(one)}`)).to.deep.equal(sent);
  });
});
