// What an image sets for all that is started in it: addresses below the command line and the files (IMG-04), and the words of
// the Dockerfile that do it. The image itself is built and run by image.drill.ts.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { publicSurface } from '#build/public-surface.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { cliPath, spawnIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the defaults of an image', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'test-idp-image-defaults-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const env = { IDP_DEFAULT_HOST: '127.0.0.2', IDP_DEFAULT_MCP_PORT: '0' };

  /** Which addresses a start binds; `settings`: the text of settings.yaml, undefined for no directory. */
  async function bound(settings: string | undefined, ...args: string[]) {
    const config = join(folder, 'config');
    rmSync(config, { recursive: true, force: true });
    if (settings !== undefined) {
      mkdirSync(config);
      writeFileSync(join(config, 'settings.yaml'), settings);
      writeFileSync(join(config, 'users.yaml'), 'users: {}\n');
    }
    const idp = await spawnIdp(['start', '--port', '0', ...args], { cwd: folder, env });
    try {
      expect((await fetch(`${idp.baseUrl}/health`)).status).to.equal(200);
      const { hostname: host } = new URL(idp.baseUrl);
      const { hostname: mcp } = new URL(idp.mcpUrl ?? '');
      // Only POST is for the endpoint: it answers there, and takes the name for its own.
      expect((await fetch(idp.mcpUrl ?? '')).status).to.equal(405);
      return { host, mcp, warnings: idp.log().match(/which is not a loopback address/g) };
    } finally {
      await idp.stop();
    }
  }

  verifies('IMG-04', 'are where it listens, and where MCP does, when nobody says otherwise', async () => {
    const usual = { host: '127.0.0.2', mcp: '127.0.0.2', warnings: null };
    expect(await bound(undefined)).to.deep.equal(usual);
    expect(await bound('config_version: 1\nserver:\n  port: 8000\n')).to.deep.equal(usual);
  });

  verifies('IMG-04', 'give way to --host and to the configuration', async () => {
    expect(await bound(undefined, '--host', '127.0.0.3')).to.include({ host: '127.0.0.3' });
    expect(await bound('server:\n  host: 127.0.0.4\n')).to.include({ host: '127.0.0.4' });
    expect(await bound('server:\n  host: 127.0.0.1\n')).to.include({ host: '127.0.0.1' });
    expect(await bound('server:\n  host: 127.0.0.4\n', '--host', '127.0.0.3')).to.include({ host: '127.0.0.3' });
  });

  verifies('IMG-04', 'name the port of MCP, which --mcp-port overrides', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.2', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      const named = { ...env, IDP_DEFAULT_MCP_PORT: String(port) };
      const refused = await spawnIdp(['start', '--port', '0'], { cwd: folder, env: named }).catch(String);
      expect(refused).to.include(`127.0.0.2:${port} is in use by another program`);
      const idp = await spawnIdp(['start', '--port', '0', '--mcp-port', '0'], { cwd: folder, env: named });
      await idp.stop();
    } finally {
      taken.close();
    }
    const wrong = { ...process.env, ...env, IDP_DEFAULT_MCP_PORT: 'eighty' };
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [cliPath, 'start', ...args], { cwd: folder, env: wrong, encoding: 'utf8' });
    const { status, stderr } = run('--port', '0');
    expect([status, stderr.split('\n')[0]]).to.deep.equal([
      1,
      "test-idp: IDP_DEFAULT_MCP_PORT must be a port from 0 (any free port) to 65535, not 'eighty'",
    ]);
  });

  verifies(['IMG-03', 'IMG-04'], 'are what the Dockerfile sets, which runs start as a number of a user', () => {
    const lines = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8').split('\n');
    const said = (word: string) => lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
    const [user, entrypoint, command] = ['USER', 'ENTRYPOINT', 'CMD'].map(said);
    const [exposed, environment] = ['EXPOSE', 'ENV'].map(said);
    expect(user).to.equal('65532:65532');
    expect([entrypoint, command]).to.deep.equal(['["test-idp"]', '["start"]']);
    expect(exposed).to.equal('8000 8001');
    expect(environment).to.equal('IDP_DEFAULT_HOST=0.0.0.0 IDP_DEFAULT_MCP_PORT=8001');
    for (const [name] of [...(environment ?? '').matchAll(/IDP_\w+/g)]) {
      expect(publicSurface().split('\n')).to.include(`environment ${name}`);
    }
  });
});
