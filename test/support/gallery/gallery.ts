// Every page of the program in every relevant state, as exhibits: a name, the settings group it needs and the steps of a
// browser to it. The accessibility tests and the screenshots share the gallery.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { stringify } from 'yaml';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { serveJson, startMetadataHost } from '../metadata-host.ts';
import { createTestAuthority } from '../test-authority.ts';
import { meanwhile } from './steps.ts';
import {
  callback,
  makeHistory,
  makeRuntimeObjects,
  managementSecret,
  type Room,
  settingsOf,
  usersOf,
  writeLogos,
  writeMetadata,
} from './world.ts';

export interface Exhibit {
  readonly name: string;
  readonly room: Room;
  /** Brings the browser to the page. */
  readonly visit: (page: Page, idp: RunningIdp) => Promise<unknown>;
  /** Checked without a script, because with a script the page leaves at once. */
  readonly withoutScript?: true;
  /** Checked only in this form instead of light, dark and on a phone. */
  readonly only?: 'print' | 'zoomed' | 'forced-colors';
  /** The page has only one colour scheme, because the client sets its background. */
  readonly keepsScheme?: true;
}

export interface Gallery {
  readonly idp: RunningIdp;
  /** The client_id of a client that is described by its own metadata document. */
  readonly describedClient: string;
  /** Activates the settings of a group, unless they are active. */
  enter(room: Room): Promise<void>;
  close(): Promise<unknown>;
}

/** A whole stack with users, clients and some history. */
export async function openGallery(): Promise<Gallery> {
  const root = mkdtempSync(join(tmpdir(), 'test-idp-gallery-'));
  for (const directory of ['config', 'logos']) mkdirSync(join(root, directory));
  const authority = await createTestAuthority();
  const documents = await startMetadataHost(authority);
  documents.answer = (request, response) => {
    const client_id = `https://localhost:${documents.port}${request.url}`;
    serveJson({ client_id, client_name: 'Described by its own document', redirect_uris: [callback] })(
      request,
      response,
    );
  };
  writeFileSync(join(root, 'ca.pem'), authority.certificatePem);
  writeLogos(root);
  await writeMetadata(root);
  const write = (room: Room) => {
    writeFileSync(join(root, 'config', 'users.yaml'), stringify(usersOf(room)));
    writeFileSync(join(root, 'config', 'settings.yaml'), stringify(settingsOf(room, documents)));
  };
  write('password');
  const idp = await startIdp({ root, args: ['--demo'], env: { NODE_EXTRA_CA_CERTS: join(root, 'ca.pem') } });
  await makeHistory(idp, documents);
  const describedClient = `https://localhost:${documents.port}/client.json`;
  // The server may close a kept-alive connection just when it is reused.
  const headers = { 'X-Management-Secret': managementSecret, Connection: 'close' };
  const expectDone = async (path: string, method: string) => {
    const answer = await fetch(idp.baseUrl + path, { method, headers });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  let entered: Room | undefined;
  return {
    idp,
    describedClient,
    async enter(room) {
      if (room === entered) return;
      entered = room;
      write(room);
      // On a busy machine, loading ten thousand users can exceed the supervisor's timeout. The next worker starts with
      // them.
      await expectDone('/api/config/reload', 'POST').catch(() => expectDone('/api/config/reload', 'POST'));
      await expectDone('/api/runtime', 'DELETE');
      const bare = room.startsWith('empty');
      if (bare) {
        await meanwhile(idp, '/clients/forget', { client_id: describedClient });
        await expectDone('/api/audit/clear', 'POST');
      }
      if (!bare && room !== 'gated') await makeRuntimeObjects(idp);
    },
    async close() {
      await idp.stop();
      await documents.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
