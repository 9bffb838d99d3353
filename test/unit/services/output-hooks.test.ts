// The hooks in a request's context can change each output of that request.
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { codeResponse } from '#services/oidc/authorize/client-response.ts';
import { discoveryRoutes } from '#services/oidc/discovery.ts';
import { jwksRoutes } from '#services/oidc/jwks.ts';
import { tokenEndpoint } from '#services/oidc/token/endpoint.ts';
import type { VerifiedAuthnRequest } from '#services/saml/protocol/verified-authn-request.ts';
import { answerWithError } from '#services/saml/sso/answer-service-provider.ts';
import type { OutputHooks } from '#shared/engine/exchange/output-hooks.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { keyRingSigner } from '#shared/engine/tokens/signer.ts';
import { noPassive } from '#shared/protocol/saml/status.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-tree.ts';
import { type EndpointContext, formRequest, openEndpointContext } from '#test/support/endpoint-context.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { type KeysRoot, newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';

describe('the output hooks of a request', () => {
  let root: KeysRoot;
  let opened: EndpointContext;
  before(async () => {
    root = newKeysRoot();
    const settings = { oauth: { clients: [{ client_id: 'web', client_secret: 's' }] } };
    opened = await openEndpointContext({ settings }, { keys: await openTestKeys(root) });
  });
  after(async () => {
    await opened.close();
    root.remove();
  });

  const withAlterations = (outputHooks: OutputHooks): ManagementContext => ({ ...opened.context, outputHooks });
  const basic = { authorization: `Basic ${Buffer.from('web:s').toString('base64')}` };
  const respond = (context: ManagementContext) =>
    tokenEndpoint(formRequest({ grant_type: 'client_credentials' }, basic), context);
  const get = ([route]: readonly Route[], context: ManagementContext): Promise<Reply> =>
    route?.methods.GET?.({ ...formRequest({}), method: 'GET' }, context) ?? expect.fail('no GET');
  const jsonOf = ({ body }: Reply) => JSON.parse(String(body));

  it('can replace the signing key, the claims and the header', async () => {
    const otherKey = await signingKey('stranger');
    const { signToken } = keyRingSigner(opened.context.keys);
    const signer: ManagementContext['signer'] = {
      signingKey: async () => otherKey,
      signToken: ({ claims, header, use }, key) =>
        signToken({ use, header: { ...header, alg: 'PS256' }, claims: { ...claims, iss: 'https://a.example' } }, key),
    };
    const { access_token } = jsonOf(await respond({ ...opened.context, signer }));
    expect(decodeJwt(access_token).iss).to.equal('https://a.example');
    expect(decodeProtectedHeader(access_token)).to.deep.equal({ alg: 'PS256', typ: 'JWT', kid: otherKey.kid });
    const usual = jsonOf(await respond(opened.context)).access_token;
    const { kid } = await opened.context.keys.signingKey();
    expect(decodeProtectedHeader(usual)).to.deep.equal({ alg: 'RS256', typ: 'JWT', kid });
  });

  it('can replace the token response, the discovery document and the key set', async () => {
    const tokens = await respond(withAlterations({ tokenResponse: ({ token_type: _, ...rest }) => rest }));
    expect(jsonOf(tokens)).to.have.all.keys('access_token', 'expires_in');
    const issuer = 'https://attacker.example';
    const document = await get(discoveryRoutes, withAlterations({ document: (made) => ({ ...made, issuer }) }));
    expect(jsonOf(document).issuer).to.equal(issuer);
    expect(jsonOf(await get(discoveryRoutes, opened.context)).issuer).to.equal(opened.context.issuer);
    expect(jsonOf(await get(jwksRoutes, withAlterations({ document: () => ({ keys: [] }) })))).to.deep.equal({
      keys: [],
    });
    expect(jsonOf(await get(jwksRoutes, opened.context)).keys).to.have.length(1);
  });

  it('can replace the authorization response, asynchronously', async () => {
    const recipient = { client_id: 'web', redirect_uri: 'https://app.example/cb', response_mode: 'query', state: 's' };
    const context = withAlterations({
      authorizationResponse: async (response) => ({
        ...response,
        parameters: response.parameters.map(([name, value]) => [name, name === 'state' ? 'other' : value] as const),
      }),
    });
    const { headers } = await codeResponse('c', { ...recipient, response_mode: 'query' }, context);
    expect(headers.Location).to.equal('https://app.example/cb?code=c&state=other');
  });

  it('can change a SAML Response and sign it again', async () => {
    const received: Partial<VerifiedAuthnRequest> = {
      ...{ id: '_1', issuer: 'sp' },
      message: { samlRequest: '', relayState: '' } as VerifiedAuthnRequest['message'],
    };
    const answer = async (context: ManagementContext) => {
      const request = {
        received: received as VerifiedAuthnRequest,
        acsUrl: 'https://sp.example/acs',
        serviceProvider: undefined,
      };
      const { body } = await answerWithError(request, noPassive, context, {});
      const [, field = ''] = /name="SAMLResponse" value="([^"]+)"/.exec(String(body)) ?? [];
      return Buffer.from(field, 'base64').toString('utf8');
    };
    const without = (name: string) => (tree: XmlElement) => ({
      ...tree,
      ...{ children: tree.children.filter((child) => typeof child === 'string' || child.local !== name) },
      attributes: tree.attributes.filter(({ local }) => local !== name),
    });
    expect(await answer(opened.context))
      .to.contain('<ds:Signature')
      .and.to.contain(' Destination="');
    const changed = withAlterations({
      samlAnswer: async (made, { signed }) => {
        const bare = without('Destination')(without('Signature')(made.response));
        return { ...made, response: await signed(bare) };
      },
    });
    expect(await answer(changed))
      .to.contain('<ds:Signature')
      .and.to.not.contain(' Destination="');
    const unsigned = withAlterations({
      samlAnswer: (made) => ({ ...made, response: without('Signature')(made.response) }),
    });
    expect(await answer(unsigned))
      .to.contain(' Destination="')
      .and.to.not.contain('Signature');
  });
});
