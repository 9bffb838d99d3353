import { expect } from 'chai';
import { register } from '#services/oidc/registration/register.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { type EndpointContext, jsonRequest, openEndpointContext } from '#test/support/endpoint-context.ts';
import { verifies } from '#test/support/verifies.ts';

const settings = { oauth: { dynamic_registration: { enabled: true } } };
const request = jsonRequest({ redirect_uris: ['https://app.example/cb'] });

describe('a registration that is interrupted', () => {
  let opened: EndpointContext;
  beforeEach(async () => {
    opened = await openEndpointContext({ settings });
  });
  afterEach(() => opened.close());

  verifies('DCR-21', 'by a reset is rejected with the advice to retry, and leaves no client behind', async () => {
    const { context, store } = opened;
    const identities = Object.create(store.identities, {
      registrationEpoch: {
        value: async () => {
          const epoch = await store.identities.registrationEpoch();
          await store.identities.reset(() => ({
            event_type: 'runtime_identities_reset',
            at: context.clock.now(),
            status: 'success',
          }));
          return epoch;
        },
      },
    });
    const error = await register(request, { ...context, store: { ...store, identities } }).catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof OAuthError)) throw new Error('expected a rejection');
    expect([error.status, error.error]).to.deep.equal([400, 'invalid_client_metadata']);
    expect(error.message).to.contain('Try again');
    expect(await store.identities.listClients()).to.deep.equal([]);
    expect(opened.events.map(({ event_type: type }) => type)).to.deep.equal(['client_registration_refused']);
  });

  it('succeeds if there was no reset', async () => {
    const reply = await register(request, opened.context);
    expect(reply.status).to.equal(201);
    expect(await opened.store.identities.listClients()).to.have.length(1);
  });
});
