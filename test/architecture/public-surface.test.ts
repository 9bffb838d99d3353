// The changelog must mention every change of the public surface, and a loss needs a new major version (PKG-32). All
// places that name the version agree (PKG-31).
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { publicSurface } from '#build/public-surface.ts';
import { version } from '#shared/base/version.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { pemKeys, startIdp } from '#test/support/start-api.ts';
import { cliPath } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const changelog = read('CHANGELOG.md');

/** The text below each heading, by heading. */
function sections(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n', 1)[0]?.trim() ?? '', section]),
  );
}

/** The word for a line of the surface that the changelog must contain. */
function wordOf(line: string): string {
  const [kind = '', ...words] = line.split(' ');
  if (kind === 'operation') return (words[1] ?? '').replace(/\/?:.*$/, '');
  if (kind === 'settings.yaml' || kind === 'users.yaml') return (words[0] ?? '').replace(/^.*\./, '').replace('[]', '');
  if (kind === 'type' || kind === 'value') return (words[0] ?? '').replace(/[^\w].*$/, '');
  if (kind === 'export') return (words[0] ?? '').replace('./', '');
  return words.at(-1) ?? '';
}

/** The faults of a change from the published surface to the current one. */
function faults(released: string, present: string, text: string): string[] {
  const [head = '', ...before] = released.trim().split('\n');
  const after = present.trim().split('\n');
  const removed = before.filter((line) => !after.includes(line));
  const added = after.filter((line) => !before.includes(line));
  const changes = [...removed, ...added]
    .filter((line) => !text.includes(wordOf(line)))
    .map((line) => `CHANGELOG.md says nothing of '${wordOf(line)}': ${line}`);
  // A setting whose type changed exists before and after. Only its key must not disappear.
  const keyOf = (line: string) => (/^\w+\.yaml /.test(line) ? line.split(' ').slice(0, 2).join(' ') : line);
  const missing = removed.filter((line) => !after.some((other) => keyOf(other) === keyOf(line)));
  const isMajor = major(version) > major(head.replace('# ', ''));
  return [...changes, ...(isMajor ? [] : missing.map((line) => `only a new major version may take away: ${line}`))];
}

const major = (text: string) => Number(text.split('.')[0]);

describe('the public surface', () => {
  verifies('PKG-32', 'is up to date in docs/public-surface.txt, or else needs npm run docs', () => {
    expect(read('docs/public-surface.txt')).to.equal(publicSurface());
    expect(publicSurface().split('\n')).to.include.members([
      ...['command start', 'option start --port', 'exit code 1 refused or failed', 'ready line base_url'],
      ...['settings.yaml oauth.clients[].client_id string', 'operation POST /token', 'tool save_config'],
      ...['value startIdp: StartIdp', 'type StartOptions.port?: number', 'type IdpError.kind: string'],
    ]);
  });

  verifies('PKG-32', 'differs from the published one only in what the changelog names', () => {
    const unpublished = sections(changelog).get('Unreleased') ?? sections(changelog).get(version) ?? '';
    expect(faults(read('docs/public-surface.released.txt'), publicSurface(), unpublished)).to.deep.equal([]);
  });

  verifies('PKG-32', 'cannot grow or shrink without an entry in the changelog', () => {
    const released = '# 3.4.0\ncommand start\noperation GET /api/users/:username\nsettings.yaml server.port number\n';
    const present = 'command start\noption start --new\nsettings.yaml server.port string\n';
    expect(faults(released, present, 'nothing at all')).to.deep.equal([
      "CHANGELOG.md says nothing of '/api/users': operation GET /api/users/:username",
      "CHANGELOG.md says nothing of 'port': settings.yaml server.port number",
      "CHANGELOG.md says nothing of '--new': option start --new",
      "CHANGELOG.md says nothing of 'port': settings.yaml server.port string",
      'only a new major version may take away: operation GET /api/users/:username',
    ]);
  });
});

describe('the version', function () {
  this.timeout(60_000);
  const headings = [...sections(changelog).keys()];

  verifies('PKG-31', 'is the same in the package, the changelog, the command and the documents', async () => {
    expect(headings.find((heading) => /^\d/.test(heading))).to.equal(version);
    expect(read('docs/public-surface.released.txt')).to.match(/^# \d+\.\d+\.\d+\n/);
    expect(JSON.parse(read('package.json')).version).to.equal(version);
    expect(JSON.parse(read('package-lock.json')).version).to.equal(version);
    expect(execFileSync(process.execPath, [cliPath, '--version'], { encoding: 'utf8' })).to.equal(`${version}\n`);
    expect(JSON.parse(read('docs/openapi.json')).info.version).to.equal(version);
    const idp = await startIdp({ keys: await pemKeys() });
    try {
      expect(await (await idp.fetch('/openapi.json')).json()).to.have.nested.property('info.version', version);
    } finally {
      await idp.stop();
    }
  });

  verifies('PKG-31', 'is that of the tag, if nothing is unpublished', () => {
    // A copy without history has no tags.
    const git = spawnSync('git', ['tag', '--points-at', 'HEAD'], { cwd: repositoryRoot, encoding: 'utf8' });
    expect(faultsOfTags((git.stdout ?? '').split('\n'), version, headings)).to.deep.equal([]);
    expect(faultsOfTags(['v3.4.0', 'lastly'], '3.4.0', ['3.4.0', '3.3.0'])).to.deep.equal([]);
    expect(faultsOfTags(['v3.4.1'], '3.4.0', ['Unreleased', '3.4.0'])).to.deep.equal([
      'the tag v3.4.1 is not of version 3.4.0',
      'the changelog has an unpublished part at the tag v3.4.1',
    ]);
  });
});

function faultsOfTags(tags: readonly string[], packaged: string, headings: readonly string[]): string[] {
  return tags
    .filter((tag) => /^v\d/.test(tag))
    .flatMap((tag) => [
      ...(tag === `v${packaged}` ? [] : [`the tag ${tag} is not of version ${packaged}`]),
      ...(headings.includes('Unreleased') ? [`the changelog has an unpublished part at the tag ${tag}`] : []),
    ]);
}
