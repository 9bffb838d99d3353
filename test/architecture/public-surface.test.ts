// What others rely on changes only with a word in the changelog, and loses something only with a new major version
// (PKG-32). Every place that names the version names the same (PKG-31).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { publicSurface } from '#build/public-surface.ts';
import { version } from '#shared/version.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
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

/** What a person has to be told of a line: the word that must be found. */
function wordOf(line: string): string {
  const [kind = '', ...words] = line.split(' ');
  if (kind === 'operation') return (words[1] ?? '').replace(/\/?:.*$/, '');
  if (kind === 'settings.yaml' || kind === 'users.yaml') return (words[0] ?? '').replace(/^.*\./, '').replace('[]', '');
  if (kind === 'type' || kind === 'value') return (words[0] ?? '').replace(/[^\w].*$/, '');
  if (kind === 'export') return (words[0] ?? '').replace('./', '');
  return words.at(-1) ?? '';
}

/** Faults of a change from the published surface to the present one. */
function faults(released: string, present: string, text: string): string[] {
  const [head = '', ...before] = released.trim().split('\n');
  const after = present.trim().split('\n');
  const removed = before.filter((line) => !after.includes(line));
  const added = after.filter((line) => !before.includes(line));
  const told = [...removed, ...added]
    .filter((line) => !text.includes(wordOf(line)))
    .map((line) => `CHANGELOG.md says nothing of '${wordOf(line)}': ${line}`);
  // A setting whose type changed is there before and after; its key is what must not vanish.
  const keyOf = (line: string) => (/^\w+\.yaml /.test(line) ? line.split(' ').slice(0, 2).join(' ') : line);
  const gone = removed.filter((line) => !after.some((other) => keyOf(other) === keyOf(line)));
  const isMajor = major(version) > major(head.replace('# ', ''));
  return [...told, ...(isMajor ? [] : gone.map((line) => `only a new major version may take away: ${line}`))];
}

const major = (text: string) => Number(text.split('.')[0]);

describe('the public surface', () => {
  verifies('PKG-32', 'stands in docs/public-surface.txt as it is; else run npm run docs', () => {
    expect(read('docs/public-surface.txt')).to.equal(publicSurface());
    expect(publicSurface().split('\n')).to.include.members([
      ...['command start', 'option start --port', 'exit code 1 refused or failed', 'ready line base_url'],
      ...['settings.yaml oauth.clients[].client_id string', 'operation POST /token', 'tool save_config'],
      ...['value startIdp: StartIdp', 'type StartOptions.port?: number', 'type IdpError.kind: string'],
    ]);
  });

  verifies('PKG-32', 'differs from the published one in what the changelog names', () => {
    const unpublished = sections(changelog).get('Unreleased') ?? sections(changelog).get(version) ?? '';
    expect(faults(read('docs/public-surface.released.txt'), publicSurface(), unpublished)).to.deep.equal([]);
  });

  verifies('PKG-32', 'is noticed when it grows or shrinks without a word', () => {
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

describe('the version', () => {
  it('is the same wherever it stands', () => {
    const newest = [...sections(changelog).keys()].find((heading) => /^\d/.test(heading));
    expect(newest).to.equal(version);
    expect(read('docs/public-surface.released.txt')).to.match(/^# \d+\.\d+\.\d+\n/);
  });

  it('is that of the tag, and nothing is left unpublished there', function () {
    let tags: readonly string[];
    try {
      tags = execFileSync('git', ['tag', '--points-at', 'HEAD'], { cwd: repositoryRoot, encoding: 'utf8' }).split('\n');
    } catch {
      process.stderr.write('skipped: git does not answer here\n');
      return this.skip();
    }
    const ofVersions = tags.filter((tag) => /^v\d/.test(tag));
    if (ofVersions.length === 0) {
      process.stderr.write('skipped: no tag of a version points at this commit\n');
      return this.skip();
    }
    expect(ofVersions).to.deep.equal([`v${version}`]);
    expect(sections(changelog).has('Unreleased')).to.equal(false);
  });
});
