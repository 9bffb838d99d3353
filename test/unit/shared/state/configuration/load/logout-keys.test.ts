import { expect } from 'chai';
import { stringify } from 'yaml';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { loadConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { verifies } from '#test/support/verifies.ts';

const client = (more: object) => ({ oauth: { clients: [{ client_id: 'web', client_secret: 's', ...more }] } });

function problemsOf(settings: object): string[] {
  const { findings } = loadConfiguration(
    { settings: stringify(settings), users: undefined },
    { directory: '/test-idp/config', environment: {}, problemsOfFault },
  );
  return findings.filter(({ level }) => level === 'error').map(({ path, message }) => `${path} ${message}`);
}

describe('the keys of logout', () => {
  verifies('LGO-01', 'have defaults and bounds', () => {
    expect(snapshotOf({ settings: {} }).settings.logout).to.deep.equal({
      ...{ confirmation: 'unsure', delivery_timeout_ms: 5000, delivery_retries: 2 },
      ...{ verify_tls: true, revoke_refresh_tokens: false },
    });
    const least = { confirmation: 'always', delivery_timeout_ms: 100, delivery_retries: 0, verify_tls: false };
    const most = {
      confirmation: 'never',
      delivery_timeout_ms: 60_000,
      delivery_retries: 5,
      revoke_refresh_tokens: true,
    };
    for (const logout of [least, most]) expect(snapshotOf({ settings: { logout } }).settings.logout).to.include(logout);
    const beyond = { confirmation: 'sometimes', delivery_timeout_ms: 99, delivery_retries: 6, verify_tls: 'maybe' };
    expect(problemsOf({ logout: beyond })).to.have.length(4);
    expect(problemsOf({ logout: { delivery_timeout_ms: 60_001, delivery_retries: -1 } })).to.have.length(2);
  });

  verifies('LGO-02', 'of a client are absolute http or https URLs without fragment', () => {
    const address = 'https://app.example/logout?x=1';
    const { clients } = snapshotOf({
      settings: client({ backchannel_logout_uri: address, frontchannel_logout_uri: address }),
    });
    expect(clients.get('web')).to.include({
      ...{ backchannel_logout_uri: address, backchannel_logout_session_required: false },
      ...{ frontchannel_logout_uri: address, frontchannel_logout_session_required: false },
    });
    for (const field of ['backchannel_logout_uri', 'frontchannel_logout_uri']) {
      for (const wrong of ['/logout', 'app.example', 'ftp://app.example/', 'https://app.example/#here', 'https:///x']) {
        const [problem, ...others] = problemsOf(client({ [field]: wrong }));
        expect(problem, wrong).to.match(new RegExp(`^oauth\\.clients.*${field}`));
        expect(others).to.deep.equal([]);
      }
    }
  });
});
