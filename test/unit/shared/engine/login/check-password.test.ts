import { Writable } from 'node:stream';
import { hashSync } from 'bcryptjs';
import { expect } from 'chai';
import { createLogger } from '#shared/base/logger.ts';
import { checkPassword } from '#shared/engine/login/check-password.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { profileRules } from '#shared/model/configuration/profile-rules.ts';
import { settingsModel } from '#shared/model/configuration/settings.ts';
import { userEntryModel, userFromEntry } from '#shared/model/configuration/user-entry.ts';
import { logSecrets } from '#shared/model/secrets/what-is-secret.ts';
import { sentences } from '#test/support/sentences.ts';
import { verifies } from '#test/support/verifies.ts';

const hash = hashSync('wonderland', 4);
const neverGone = new AbortController().signal;

function check(stored: string | undefined, typed: string, settings: object = {}) {
  const parsed = settingsModel.parse(settings);
  const snapshot = { settings: parsed, rules: profileRules(parsed) } as ConfigurationSnapshot;
  const user = userFromEntry('alice', userEntryModel.parse(stored === undefined ? {} : { password: stored }));
  let warnings = '';
  const pretty = new Writable({
    write(chunk, _encoding, done) {
      warnings += String(chunk);
      done();
    },
  });
  const log = createLogger({ name: 'test', pretty, secrets: logSecrets });
  return checkPassword(user, typed, { snapshot, log, disconnected: () => neverGone }).then((passes) => ({
    passes,
    warnings,
  }));
}

describe('passwords', () => {
  verifies(['CFG-46', 'LOG-02'], 'never match for a user without a password', async () => {
    for (const typed of ['', 'undefined', 'null']) expect((await check(undefined, typed)).passes).to.equal(false);
  });

  verifies('CFG-47', 'are plain text, exactly and case-sensitively', async () => {
    expect((await check('wonderland', 'wonderland')).passes).to.equal(true);
    for (const typed of ['Wonderland', 'wonderland ', ' wonderland', 'wonderlan', '']) {
      expect((await check('wonderland', typed)).passes).to.equal(false);
    }
  });

  verifies(['LIN-10', 'CFG-48'], 'are checked as bcrypt hashes if the value is one, in every profile', async () => {
    for (const security_profile of ['dev', 'stricter-dev', 'oauth21']) {
      const { passes, warnings } = await check(hash, 'wonderland', { security_profile });
      expect([passes, warnings], security_profile).to.deep.equal([true, '']);
      expect((await check(hash, hash, { security_profile })).passes, security_profile).to.equal(false);
    }
  });

  const hashing = { security_profile: 'stricter-dev' };

  verifies(
    ['CFG-48', 'LOG-10', 'PRF-10'],
    'are checked as bcrypt hashes if the value is one and hashing is on',
    async () => {
      expect((await check(hash, 'wonderland', hashing)).passes).to.equal(true);
      expect((await check(hash, 'Wonderland', hashing)).passes).to.equal(false);
      expect((await check(hash, hash, hashing)).passes).to.equal(false);
      expect((await check(hash.replace('$2b$', '$2y$'), 'wonderland', hashing)).passes).to.equal(true);
    },
  );

  verifies(
    ['CFG-48', 'LOG-10'],
    'are compared as plain text with a warning if the value is no hash and hashing is on',
    async () => {
      const { passes, warnings } = await check('wonderland', 'wonderland', hashing);
      expect(passes).to.equal(true);
      expect(warnings).to.contain(sentences.notABcryptHash).and.not.to.contain('wonderland');
      expect((await check('$2z$05$short', '$2z$05$short', hashing)).passes).to.equal(true);
    },
  );

  verifies(
    ['CFG-48', 'CFG-49', 'GRT-12', 'AUT-48'],
    'are not treated as bcrypt hashes if the cost is invalid',
    async () => {
      const enforced = { ...hashing, session: { enforce_password_check: true } };
      for (const cost of ['00', '03', '32', '99']) {
        const stored = hash.replace('$04$', `$${cost}$`);
        const { passes, warnings } = await check(stored, stored, hashing);
        expect(passes, cost).to.equal(true);
        expect(warnings, cost).to.contain(sentences.notABcryptHash);
        expect((await check(stored, 'wonderland', hashing)).passes, cost).to.equal(false);
        expect((await check(stored, stored, enforced)).passes, cost).to.equal(false);
      }
    },
  );

  verifies(['CFG-49', 'LOG-10'], 'never match a value that is not a hash with enforce_password_check', async () => {
    const enforced = { ...hashing, session: { enforce_password_check: true } };
    expect((await check('wonderland', 'wonderland', enforced)).passes).to.equal(false);
    expect((await check(hash, 'wonderland', enforced)).passes).to.equal(true);
    expect((await check('wonderland', 'wonderland', { session: { enforce_password_check: true } })).passes).to.equal(
      true,
    );
  });

  verifies(['CFG-K50', 'CFG-48', 'CFG-49'], 'name the user in the warning unless verbose_logging is off', async () => {
    for (const session of [{}, { enforce_password_check: true }]) {
      expect((await check('wonderland', 'wonderland', { ...hashing, session })).warnings).to.contain('alice');
      const quiet = { ...hashing, session, logging: { verbose_logging: false } };
      const { warnings } = await check('wonderland', 'wonderland', quiet);
      expect(warnings).to.contain(sentences.notABcryptHash).and.not.contain('alice');
    }
  });
});
