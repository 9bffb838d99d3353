// The file of --ready-file is there while the program answers, and nowhere else (PKG-24).
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openReadyFile } from '#cli/ready-file.ts';
import { cliPath, spawnIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the ready file', function () {
  this.timeout(60_000);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-ready-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  for (const command of ['start', 'oidc', 'saml']) {
    verifies('PKG-24', `of ${command} holds the ready line until the clean end`, async () => {
      const path = join(directory, 'ready.json');
      writeFileSync(path, 'of an earlier run');
      const idp = await spawnIdp([command, '--port', '0', '--ready-file', 'ready.json'], { cwd: directory });
      const ready = JSON.parse(readFileSync(path, 'utf8'));
      expect(ready).to.include({ event: 'ready', base_url: idp.baseUrl, pid: idp.pid });
      expect(ready.mcp_url).to.equal(idp.mcpUrl);
      expect((await fetch(`${idp.baseUrl}/health`)).status).to.equal(200);
      expect(await idp.stop()).to.equal(0);
      expect(readdirSync(directory)).to.deep.equal([]);
    });
  }

  verifies('PKG-24', 'is refused before anything starts where it cannot be written', () => {
    mkdirSync(join(directory, 'occupied'));
    for (const path of [join(directory, 'missing', 'ready.json'), join(directory, 'occupied'), '/dev/null', '']) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [cliPath, 'start', '--ready-file', path], {
        cwd: directory,
        encoding: 'utf8',
      });
      expect([status, stdout], path).to.deep.equal([1, '']);
      expect(stderr).to.match(
        /^test-idp: --ready-file: \S+ cannot be written \(.*\). Name a file in a directory that you can write to.\n$/,
      );
    }
    expect(readdirSync(directory)).to.deep.equal(['occupied']);
  });

  verifies('PKG-24', 'does not outlive an earlier run, and is left alone when another program has it', () => {
    const path = join(directory, 'ready.json');
    writeFileSync(path, 'of a run that was killed');
    const file = openReadyFile(path);
    expect(existsSync(path)).to.equal(false);
    file?.write('mine');
    writeFileSync(path, 'of the next run');
    file?.remove();
    expect(readFileSync(path, 'utf8')).to.equal('of the next run');
  });

  verifies('PKG-24', 'takes the place of a symbolic link and leaves its target alone', () => {
    const target = join(directory, 'target');
    writeFileSync(target, 'somebody’s');
    symlinkSync(target, join(directory, 'ready.json'));
    openReadyFile(join(directory, 'ready.json'))?.write('mine');
    expect([readFileSync(target, 'utf8'), readFileSync(join(directory, 'ready.json'), 'utf8')]).to.deep.equal([
      ...['somebody’s', 'mine'],
    ]);
  });
});
