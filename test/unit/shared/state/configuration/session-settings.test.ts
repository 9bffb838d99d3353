// The keys of sessions and consent: type, bounds and default in the settings model.
import { expect } from 'chai';
import { settingsModel } from '#shared/model/configuration/settings.ts';
import { verifies } from '#test/support/verifies.ts';

const defaults = settingsModel.parse({}).login;
const isTaken = (login: object) => settingsModel.safeParse({ login }).success;

describe('the settings of sessions', () => {
  verifies('SSO-K01', 'session is off or on', () => {
    expect(defaults.session).to.equal('off');
    expect(['off', 'on', 'yes', true].map((session) => isTaken({ session }))).to.deep.equal([true, true, false, false]);
  });

  verifies(['SSO-K02', 'SSO-K03'], 'lifetime and idle time are whole minutes within bounds', () => {
    expect([defaults.session_lifetime_minutes, defaults.session_idle_minutes]).to.deep.equal([480, 60]);
    const lifetimes = [0, 1, 43_200, 43_201, 1.5].map((minutes) => isTaken({ session_lifetime_minutes: minutes }));
    expect(lifetimes).to.deep.equal([false, true, true, false, false]);
    const idle = [-1, 0, 43_200, 43_201].map((minutes) => isTaken({ session_idle_minutes: minutes }));
    expect(idle).to.deep.equal([false, true, true, false]);
  });

  verifies('SSO-K04', 'acr names each value once, the weakest first', () => {
    expect(defaults.acr.map(({ method }) => method)).to.deep.equal(['persona', 'password', 'password+totp']);
    const bronze = { value: 'bronze', method: 'password' };
    const gold = { value: 'gold', method: 'password+totp' };
    expect(isTaken({ acr: [bronze, { ...bronze, value: 'silver' }, gold] })).to.equal(true);
    expect(isTaken({ acr: [] })).to.equal(true);
    for (const acr of [[gold, bronze], [bronze, bronze], [{ value: 'x', method: 'card' }], [{ method: 'persona' }]]) {
      expect(isTaken({ acr }), JSON.stringify(acr)).to.equal(false);
    }
  });

  verifies('SSO-K05', 'consent is never, first or always', () => {
    expect(defaults.consent).to.equal('never');
    const taken = ['never', 'first', 'always', 'once'].map((consent) => isTaken({ consent }));
    expect(taken).to.deep.equal([true, true, true, false]);
  });

  verifies('SSO-K06', 'edit_claims is a boolean and off by default', () => {
    expect(defaults.edit_claims).to.equal(false);
    const taken = [true, false, 'true', 1].map((edit_claims) => isTaken({ edit_claims }));
    expect(taken).to.deep.equal([true, true, false, false]);
  });
});
