import { expect } from 'chai';
import { tokenEndpoint } from '#services/oidc/token/endpoint.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { type EndpointContext, formRequest, openEndpointContext } from '#test/support/endpoint-context.ts';
import { type KeysRoot, newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

const settings = { oauth: { clients: [{ client_id: 'declared', client_secret: 's' }] } };
const users = { alice: { password: 'wonderland' } };
const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };

describe('the token endpoint', () => {
  let root: KeysRoot;
  let opened: EndpointContext;
  before(async () => {
    root = newKeysRoot();
    opened = await openEndpointContext({ settings, users }, { keys: await openTestKeys(root) });
  });
  after(async () => {
    await opened.close();
    root.remove();
  });

  const headers = (id: string) => ({ authorization: `Basic ${Buffer.from(`${id}:s`).toString('base64')}` });

  verifies('TOK-20', 'issues no refresh token to a client that was deleted after its authentication', async () => {
    const { store, context } = opened;
    const event = { event_type: 'runtime_identity_created', at: context.clock.now(), status: 'success' } as const;
    const entry = {
      client_id: 'passing',
      client_secret: 's',
      token_endpoint_auth_method: 'client_secret_basic',
    } as const;
    const rest = {
      description: '',
      redirect_uris: [],
      allowed_resources: [],
      additional_audiences: [],
      post_logout_redirect_uris: [],
      backchannel_logout_session_required: false,
      frontchannel_logout_session_required: false,
      claims: {},
      show_client_id: true,
      show_description: false,
      layout: 'vertical',
    } as const;
    await store.identities.createClient(
      {
        ...entry,
        ...rest,
        redirect_uris: [],
        redirect_uri_patterns: [],
        post_logout_redirect_uri_patterns: [],
        allowed_resources: [],
        roles: [],
        groups: [],
        audience: [],
        default_scopes: [],
        additional_audiences: [],
        post_logout_redirect_uris: [],
        request_uris: [],
        dpop_bound_access_tokens: false,
        require_pushed_authorization_requests: false,
      },
      context.clock.now(),
      event,
    );
    const membersWith = async (identities: RuntimeStore['identities']) => {
      const reply = await tokenEndpoint(formRequest(password, headers('passing')), {
        ...context,
        store: { ...store, identities },
      });
      return Object.keys(JSON.parse(String(reply.body)));
    };
    expect(await membersWith(store.identities)).to.include('refresh_token');
    let queries = 0;
    const vanishing = Object.create(store.identities, {
      findClient: { value: async (id: string) => (queries++ === 0 ? store.identities.findClient(id) : undefined) },
    });
    expect(await membersWith(vanishing)).to.deep.equal(['access_token', 'token_type', 'expires_in']);
    expect(queries).to.equal(2);
  });

  it('does not query the store when a declared client requests its own token', async () => {
    const untouchable = new Proxy(opened.store, {
      get(_store, name) {
        throw new Error(`the store was queried for ${String(name)}`);
      },
    });
    const request = formRequest({ grant_type: 'client_credentials', scope: 'email' }, headers('declared'));
    const reply = await tokenEndpoint(request, { ...opened.context, store: untouchable });
    expect(reply.status).to.equal(200);
  });
});
