// Two users decide about one code at the same moment. The second gets an error, and that decision has no effect.
import { expect } from 'chai';
import { postDevice } from '#services/oidc/device/verification.ts';
import { plusSeconds } from '#shared/base/clock.ts';
import type { DeviceGrants } from '#shared/state/store/ports/device-grants.ts';
import { type EndpointContext, formRequest, openEndpointContext } from '#test/support/endpoint-context.ts';
import { verifies } from '#test/support/verifies.ts';

const userCode = 'BCDFGHJK';
const alice = { user_code: userCode, username: 'alice', password: 'wonderland' };

describe('the decision about a device code', () => {
  let opened: EndpointContext;
  beforeEach(async () => {
    opened = await openEndpointContext({ users: { alice: { password: 'wonderland' } } });
    const now = opened.clock.now();
    const outcome = await opened.store.deviceGrants.begin(
      {
        ...{ device_code: 'device', user_code: userCode, client_id: 'demo-client', scope: ['openid'], resource: [] },
        ...{ createdAt: now, expiresAt: plusSeconds(now, 600), intervalSeconds: 5, decision: { state: 'pending' } },
      },
      now,
    );
    expect(outcome).to.equal('begun');
  });
  afterEach(() => opened.close());

  const decision = async () =>
    (await opened.store.deviceGrants.findByDeviceCode('device', opened.clock.now()))?.decision.state;
  /** Posts while another user decides, after the code was looked up and before the decision is stored. */
  const postBehind = async (form: Readonly<Record<string, string>>, other: Partial<DeviceGrants>) => {
    const store = { ...opened.store, deviceGrants: { ...opened.store.deviceGrants, ...other } };
    const reply = await postDevice(formRequest(form), { ...opened.context, store });
    expect(reply.status).to.equal(200);
    expect(String(reply.body)).to.contain('Code already used');
    const decisions = opened.events.filter(({ event_type }) => event_type === 'device_verification');
    expect(decisions.map(({ status, details }) => [status, details?.reason])).to.deep.equal([
      ['failed', 'user code already used'],
    ]);
  };

  verifies('DEV-12', 'is not changed by an approval after a denial', async () => {
    const { deviceGrants } = opened.store;
    await postBehind(alice, {
      approve: async (code, approval, now) => {
        await deviceGrants.deny(code, now);
        return deviceGrants.approve(code, approval, now);
      },
    });
    expect(await decision()).to.equal('denied');
  });

  verifies('DEV-12', 'is not changed by a denial after an approval', async () => {
    const { deviceGrants } = opened.store;
    const approval = {
      username: 'alice',
      authenticatedAt: opened.clock.now(),
      method: 'password',
      amr: undefined,
    } as const;
    await postBehind(
      { user_code: userCode, action: 'deny' },
      {
        deny: async (code, now) => {
          await deviceGrants.approve(code, approval, now);
          return deviceGrants.deny(code, now);
        },
      },
    );
    expect(await decision()).to.equal('approved');
  });
});
