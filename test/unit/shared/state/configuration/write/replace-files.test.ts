// Finished files beside the old ones, and the last look before they take their places (WRT-06, WRT-07).
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemRandomness } from '#shared/base/random.ts';
import { readConfigurationFile } from '#shared/state/configuration/load/read-files.ts';
import { prepareFiles } from '#shared/state/configuration/write/replace-files.ts';
import { verifies } from '#test/support/verifies.ts';
import { type OpenedDirectory, openDirectory } from '../opened-directory.ts';

const before = '# users\nusers: {}\n';
const after = '# users\nusers:\n  ada: {password: x}\n';

describe('replacing the files of a configuration', () => {
  let opened: OpenedDirectory;
  let lockIsHeld: () => boolean;
  beforeEach(() => {
    opened = openDirectory('# settings\n', before);
    lockIsHeld = () => true;
  });
  afterEach(() => opened.remove());

  const prepare = () => {
    const path = opened.path('users.yaml');
    const base = readConfigurationFile(path);
    return prepareFiles(opened.directory, [{ path, text: after, base }], systemRandomness, () => lockIsHeld());
  };
  const unfinished = () => readdirSync(opened.directory).filter((name) => name.includes('.writing-'));

  verifies('WRT-13', 'removes what a killed writer left', async () => {
    writeFileSync(opened.path('users.yaml.writing-left'), 'half');
    const prepared = await prepare();
    expect(unfinished()).to.have.lengthOf(2).and.not.include('users.yaml.writing-left');
    expect(prepared.replace()).to.equal(true);
    prepared.discard();
    expect(unfinished()).to.deep.equal([]);
    expect(opened.read('users.yaml')).to.equal(after);
  });

  verifies('WRT-07', 'leaves the unfinished files of whoever has the lock now', async () => {
    writeFileSync(opened.path('users.yaml.writing-next'), 'of the next holder');
    lockIsHeld = () => false;
    const prepared = await prepare();
    expect(prepared.replace()).to.equal(false);
    prepared.discard();
    expect(unfinished()).to.deep.equal(['users.yaml.writing-next']);
    expect(opened.read('users.yaml')).to.equal(before);
  });

  // The new version and the copy of the old one, in the order of their names.
  for (const index of [0, 1]) {
    verifies('WRT-07', `replaces nothing when unfinished file ${index + 1} of 2 was taken away`, async () => {
      const prepared = await prepare();
      const names = unfinished();
      expect(names).to.have.lengthOf(2);
      rmSync(join(opened.directory, names[index] ?? ''));
      expect(prepared.replace()).to.equal(false);
      prepared.discard();
      expect(readdirSync(opened.directory).sort()).to.deep.equal(['settings.yaml', 'users.yaml']);
      expect(opened.read('users.yaml')).to.equal(before);
    });
  }

  // Frozen between a look and the rename that follows it: before the copy of the old one, and before the new one.
  for (const [method, look] of [
    ['replace', 1],
    ['replace', 2],
    ['replaceForNow', 1],
  ] as const) {
    verifies(
      'WRT-07',
      `${method} loses to whoever takes it all away right after look ${look} at the lock`,
      async () => {
        let looks = 0;
        lockIsHeld = () => {
          looks += 1;
          if (looks === look) for (const name of unfinished()) rmSync(join(opened.directory, name));
          return true;
        };
        const prepared = await prepare();
        expect(prepared[method]()).to.be.oneOf([false, undefined]);
        expect(looks).to.equal(look);
        expect(opened.read('users.yaml')).to.equal(before);
      },
    );
  }

  describe('for now, with both files changed', () => {
    const settingsAfter = '# settings\noauth: {}\n';
    const replaceBoth = async () => {
      const replacements = [
        ['settings.yaml', settingsAfter],
        ['users.yaml', after],
      ].map(([name = '', text = '']) => {
        const path = opened.path(name);
        return { path, text, base: readConfigurationFile(path) };
      });
      const prepared = await prepareFiles(opened.directory, replacements, systemRandomness, () => true, {
        revocable: true,
      });
      return { prepared, replaced: prepared.replaceForNow() };
    };
    const takeAway = (file: string) => {
      const taken = unfinished().filter((name) => name.startsWith(`${file}.writing-`));
      expect(taken, 'copies of the version before').to.have.lengthOf(2);
      for (const name of taken) rmSync(join(opened.directory, name));
    };

    verifies('WRT-07', 'takes one back although the former version of the other was taken away', async () => {
      const { prepared, replaced } = await replaceBoth();
      takeAway('settings.yaml');
      replaced?.rollBack();
      prepared.discard();
      expect(opened.read('users.yaml')).to.equal(before);
      expect(opened.read('settings.yaml'), 'nobody has what was before').to.equal(settingsAfter);
    });

    verifies('WRT-07', 'passes over a file that somebody removed, and takes the other one back', async () => {
      const { prepared, replaced } = await replaceBoth();
      rmSync(opened.path('settings.yaml'));
      replaced?.rollBack();
      prepared.discard();
      expect(opened.read('users.yaml')).to.equal(before);
    });

    verifies('WRT-07', 'is kept although the backup of one was taken away', async () => {
      const { prepared, replaced } = await replaceBoth();
      takeAway('settings.yaml');
      replaced?.commit();
      prepared.discard();
      expect([opened.read('settings.yaml'), opened.read('users.yaml')]).to.deep.equal([settingsAfter, after]);
      expect(opened.read('users.yaml.bak')).to.equal(before);
      expect(readdirSync(opened.directory)).to.not.include('settings.yaml.bak');
    });
  });
});
