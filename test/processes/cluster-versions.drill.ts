// Stacks of three versions on one PostgreSQL and one schema: this one, the minor version after it, whose step of the schema this one
// can live with, and a major one, whose step it cannot (CLU-05, PGS-12).
import { expect } from 'chai';
import { version } from '#shared/base/version.ts';
import { firstVersion, schemaSteps } from '#shared/state/store/postgres/schema/steps.ts';
import { authorizePath, codeOf, redeem } from '#test/support/authorization-flow.ts';
import { BrowserClient } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import { machinesOn } from '#test/support/machines.ts';
import { buildNextVersions, type NextVersions } from '#test/support/next-versions.ts';
import { type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { type RoundRobin, roundRobin } from '#test/support/round-robin.ts';
import { authnRequest, delivered, redirectQuery } from '#test/support/saml/service-provider.ts';
import { isAlive, killWorker, until, workersOf } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';

const present = firstVersion + schemaSteps.length;
const [major = 0, minor = 0] = version.split('.').map(Number);
const nextMinor = `${major}.${minor + 1}.0`;
/** Of a whole stack: oidc, saml, mcp. */
const workersOfOne = 3;
const nextMajor = `${major + 1}.0.0`;

/** A worker of a busy machine takes its time. */
const startMilliseconds = 60_000;

describe('stacks of several versions on one PostgreSQL', function () {
  this.timeout(600_000);
  let server: PostgresServer;
  let programs: NextVersions;
  before(async function () {
    server = await postgresOrSkip(this);
    programs = buildNextVersions([
      {
        version: nextMinor,
        steps: [{ oldestFormat: present, sql: "ALTER TABLE codes ADD COLUMN of_the_next text NOT NULL DEFAULT 'x';" }],
      },
      { version: nextMajor, steps: [{ oldestFormat: present + 2, sql: 'ALTER TABLE codes DROP COLUMN of_the_next;' }] },
    ]);
  });
  after(async () => {
    programs?.remove();
    // Nothing to stop where the hook before was skipped.
    await server?.stop();
  });

  const built = () => {
    const [minorCommand = '', majorCommand = ''] = programs.commands;
    return { nextMinor: minorCommand, nextMajor: majorCommand };
  };
  /** Every step at the next machine, and in two rounds each at both. */
  const flowsBehind = async (door: RoundRobin) => {
    for (let round = 0; round < 2; round += 1) {
      const browser = new BrowserClient(door.baseUrl);
      const page = await browser.get(authorizePath({ scope: 'openid offline_access' }));
      const { status, body } = await redeem(door, codeOf(await browser.submit(page, alice)));
      expect(status).to.equal(200);
      const refreshed = await postForm(
        `${door.baseUrl}/token`,
        { grant_type: 'refresh_token', refresh_token: String(body.refresh_token) },
        web,
      );
      expect(refreshed.status).to.equal(200);
      for (let look = 0; look < 2; look += 1) {
        const token = String(body.access_token);
        const introspected = await postForm(`${door.baseUrl}/introspect`, { token }, web);
        expect(await introspected.json()).to.include({ active: true });
      }
      const saml = new BrowserClient(door.baseUrl);
      const form = await saml.get(`/saml/sso?${redirectQuery(authnRequest())}`);
      expect(delivered(await saml.submit(form, alice)).xml).to.contain('alice');
      door.shift();
    }
    expect(door.failed).to.equal(0);
  };

  verifies(
    ['CLU-05', 'PGS-12'],
    'serve every step of a login together when they are a minor version apart',
    async () => {
      const machines = machinesOn(server);
      let door: RoundRobin | undefined;
      try {
        const older = await machines.started();
        const newer = await machines.started(undefined, { cli: built().nextMinor });
        expect(await server.ask(`SELECT version, oldest_format FROM ${machines.schema}.store_version`)).to.deep.equal([
          { version: present + 1, oldest_format: present },
        ]);
        const { stacks } = (await older.idp.api('GET', '/api/cluster')).body;
        expect(stacks.map((stack: { version: string }) => stack.version)).to.have.members([version, nextMinor]);
        door = await roundRobin([older.idp, newer.idp]);
        await flowsBehind(door);
        for (const name of ['oidc', 'saml'] as const) await killWorker(older.idp, name);
        await until(
          'its replacements serve',
          async () => {
            const answers = ['/health/ready', '/saml/metadata'].map((path) => fetch(older.idp.baseUrl + path));
            const statuses = await Promise.all(answers).catch(() => []);
            return statuses.length > 0 && statuses.every(({ status }) => status === 200);
          },
          startMilliseconds,
        );
        await flowsBehind(door);
        expect(Math.min(...door.answered)).to.be.greaterThan(0);
      } finally {
        await door?.close();
        await machines.stopAll();
      }
    },
  );

  verifies(
    'CLU-05',
    'end with exit 1 and the reason when one leaves them behind, though nobody asks them anything',
    async () => {
      const machines = machinesOn(server);
      const programs = built();
      try {
        const older = await machines.started();
        const alone = await machines.started(undefined, { command: 'oidc' });
        const newer = await machines.started(undefined, { cli: programs.nextMinor });
        // Until it is left behind each of them serves; then nobody asks it anything.
        for (const { idp } of [older, alone, newer]) {
          expect((await postForm(`${idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web)).status).to.equal(
            200,
          );
        }
        const processes = [older, alone, newer].flatMap(({ idp }) => [
          idp.pid,
          ...workersOf(idp.pid).map(({ pid }) => pid),
        ]);
        expect(processes.filter(isAlive)).to.have.length(3 + 2 * workersOfOne);

        const newest = await machines.started(undefined, { cli: programs.nextMajor });
        for (const { idp, says } of [
          { idp: older.idp, says: /^test-idp: (?:oidc|saml|mcp): (.*)$/gm },
          { idp: alone.idp, says: /^test-idp oidc: (.*)$/gm },
          { idp: newer.idp, says: /^test-idp: (?:oidc|saml|mcp): (.*)$/gm },
        ]) {
          expect(await idp.exited).to.equal(1);
          const [had, of] = idp === newer.idp ? [present + 1, nextMinor] : [present, version];
          const { schema } = machines;
          const sentence = [
            `runtime.schema: a newer program migrated the schema ${schema} to the format ${present + 2}, which requires a program of the format `,
            `${present + 2} or newer. This program, test-idp ${of}, has the format ${had}, so it ends. Start the newer program, or name another schema.`,
          ];
          expect(Array.from(idp.log().matchAll(says), ([, said]) => said)).to.deep.equal([sentence.join('')]);
        }
        await until('nothing of them is left', () => !processes.some(isAlive));
        const issued = await postForm(`${newest.idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web);
        expect(issued.status).to.equal(200);
        const { stacks } = (await newest.idp.api('GET', '/api/cluster')).body;
        expect(stacks.map((stack: { version: string }) => stack.version)).to.deep.equal([nextMajor]);
        const refused = await older.start().catch((error: unknown) => String(error));
        expect(refused)
          .to.contain('exit code 1')
          .and.to.contain(`has the format ${present + 2}, but this program writes ${present}`);
      } finally {
        await machines.stopAll();
      }
    },
  );
});
