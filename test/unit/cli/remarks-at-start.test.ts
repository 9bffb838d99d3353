import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { remarksAtStart } from '#cli/remarks-at-start.ts';

describe('the remarks at a start', () => {
  it('name variables of another program that have no effect, never their values', () => {
    const environment = { NANOIDP_MANAGEMENT_SECRET: 'hidden', NANOIDP_CONFIG_DIR: '/x', IDP_CONFIG_DIR: '/y' };
    const remarks = remarksAtStart('/y', environment);
    expect(remarks).to.have.length(1);
    expect(remarks[0]?.level).to.equal('warn');
    expect(remarks[0]?.message).to.match(/^NANOIDP_CONFIG_DIR, NANOIDP_MANAGEMENT_SECRET have no effect/);
    expect(remarks[0]?.message).not.to.include('hidden');
  });

  it('name a bootstrap.yaml that is not read', () => {
    const directory = mkdtempSync(join(tmpdir(), 'test-idp-remarks-'));
    try {
      writeFileSync(join(directory, 'settings.yaml'), '');
      expect(remarksAtStart(directory, {})).to.deep.equal([]);
      writeFileSync(join(directory, 'bootstrap.yaml'), '');
      const message = `${join(directory, 'bootstrap.yaml')} is ignored. The configuration files are settings.yaml and users.yaml`;
      expect(remarksAtStart(directory, {})).to.deep.equal([{ level: 'warn', message }]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('name a directory that is probably somebody else’s', () => {
    const directory = mkdtempSync(join(tmpdir(), 'test-idp-remarks-'));
    try {
      writeFileSync(join(directory, 'default.json'), '{}');
      const message = `${directory} has neither settings.yaml nor users.yaml. If it belongs to another program, name your own with --config-dir. "test-idp init" creates one`;
      expect(remarksAtStart(directory, {})).to.deep.equal([{ level: 'warn', message }]);
      writeFileSync(join(directory, 'users.yaml'), '');
      expect(remarksAtStart(directory, {})).to.deep.equal([]);
    } finally {
      rmSync(directory, { recursive: true });
    }
    expect(remarksAtStart(directory, {})).to.deep.equal([]);
  });
});
