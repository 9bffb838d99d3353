// A process has only one instance of a plugin's module. Settings from a rejected configuration must not stay there
// (ACT-11).
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import * as z from 'zod';
import { ActivationError, type ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import { verifies } from '#test/support/verifies.ts';
import { type OpenedDirectory, openDirectory } from '../opened-directory.ts';

describe('the plugins after a rejected configuration', () => {
  let opened: OpenedDirectory;
  let active: ActiveConfiguration;

  const declare = (plugins: string) => opened.write('settings.yaml', `hooks: {strict: true}\nplugins: ${plugins}\n`);

  /** A plugin that stores its settings and adds them to each event. */
  const plugin = (name: string, configure = '') =>
    writeFileSync(
      opened.path(name),
      `let tag; const calls = [];
export default { hook_api_version: 1, configure(settings) { calls.push(settings.tag); ${configure} tag = settings.tag; },
  on_audit_event(event) { event.tags.push(tag); event.calls?.push(...calls); } };\n`,
    );

  const publish = async () => {
    const event = { tags: [] as unknown[], calls: [] as unknown[] };
    active.publishAuditEvent(event);
    await new Promise((resolve) => setImmediate(resolve));
    return event;
  };
  const tags = async () => (await publish()).tags;

  const refused = async () => {
    let kind: string | undefined;
    await active.reload().catch((error) => {
      kind = error.kind;
    });
    return kind;
  };

  beforeEach(async () => {
    opened = openDirectory('');
    plugin('a.mjs');
    plugin('b.mjs');
    declare('{./a.mjs: {tag: one}, ./b.mjs: {tag: two}}');
    active = await opened.open();
  });
  afterEach(() => opened.remove());

  verifies('ACT-11', 'use the previous settings if another plugin fails', async () => {
    declare('{./a.mjs: {tag: other}, ./gone.mjs: {}}');
    expect(await refused()).to.equal('plugin_load');
    expect(await tags()).to.deep.equal(['one', 'two']);
  });

  verifies('ACT-11', 'use the previous settings if another part of the process rejects the configuration', async () => {
    let isWilling = false;
    active.join({
      async prepare() {
        if (!isWilling) throw new ActivationError('not with me');
        return () => {};
      },
    });
    declare('{./b.mjs: {tag: four}, ./a.mjs: {tag: three}}');
    expect(await refused()).to.equal('activation');
    expect(await tags()).to.deep.equal(['one', 'two']);
    isWilling = true;
    expect(await refused()).to.equal(undefined);
    expect(await tags()).to.deep.equal(['four', 'three']);
  });

  verifies('ACT-11', 'use the previous settings, even if they modified the object that they received', async () => {
    plugin('c.mjs', 'const { tag: own } = settings; delete settings.tag; settings = { tag: own };');
    declare('{./c.mjs: {tag: five}}');
    expect(await refused()).to.equal(undefined);
    declare('{./c.mjs: {tag: six}, ./gone.mjs: {}}');
    expect(await refused()).to.equal('plugin_load');
    expect(await tags()).to.deep.equal(['five']);
  });

  verifies('ACT-11', 'use the previous settings if the files do not load', async () => {
    opened.write('settings.yaml', 'plugins: {./a.mjs: {tag: other}}\nserver: {port: none}\n');
    expect(await refused()).to.equal('invalid');
    expect(await tags()).to.deep.equal(['one', 'two']);
  });

  verifies('ACT-11', 'use the active settings, even if the rejected call completes after its timeout', async () => {
    const waiting = 'if (settings.tag === "late") await new Promise((resolve) => globalThis.letGo = resolve);';
    writeFileSync(
      opened.path('c.mjs'),
      `let tag; export default { hook_api_version: 1, async configure(settings) { ${waiting} tag = settings.tag; },
  on_audit_event(event) { event.tags.push(tag); } };\n`,
    );
    const declareWaiting = (own: string) =>
      opened.write(
        'settings.yaml',
        `hooks: {strict: true, timeout_seconds: 0.05}\nplugins: {./c.mjs: {tag: ${own}}}\n`,
      );
    declareWaiting('five');
    expect(await refused()).to.equal(undefined);
    declareWaiting('late');
    expect(await refused()).to.equal('plugin_load');
    expect(await tags()).to.deep.equal(['five']);
    const held = z.object({ letGo: z.custom<() => void>((value) => typeof value === 'function') });
    const letGo = async () => {
      held.parse(globalThis).letGo();
      await new Promise((resolve) => setImmediate(resolve));
    };
    await letGo();
    expect(await tags()).to.deep.equal(['five']);
    // The same holds if it completes after later calls.
    declareWaiting('late');
    expect(await refused()).to.equal('plugin_load');
    declareWaiting('six');
    expect(await refused()).to.equal(undefined);
    await letGo();
    expect(await tags()).to.deep.equal(['six']);
  });

  verifies('ACT-11', 'are not configured again if their settings did not change', async () => {
    declare('{./b.mjs: {tag: two}, ./gone.mjs: {}}');
    expect(await refused()).to.equal('plugin_load');
    declare('{./a.mjs: {tag: one}, ./b.mjs: {tag: new}}');
    expect(await refused()).to.equal(undefined);
    expect((await publish()).calls).to.deep.equal(['one', 'one', 'two', 'two', 'new']);
  });

  verifies(
    'ACT-11',
    'that reject the previous settings are counted, and configured again after the next load',
    async () => {
      plugin('c.mjs', "if (calls.length === 3) throw new Error('not now');");
      declare('{./c.mjs: {tag: five}}');
      expect(await refused()).to.equal(undefined);
      declare('{./c.mjs: {tag: six}, ./gone.mjs: {}}');
      expect(await refused()).to.equal('plugin_load');
      expect(active.hooksReport().plugins).to.have.nested.property('[0].failures', 1);
      declare('{./c.mjs: {tag: five}}');
      expect(await refused()).to.equal(undefined);
      expect(await tags()).to.deep.equal(['five']);
    },
  );
});
