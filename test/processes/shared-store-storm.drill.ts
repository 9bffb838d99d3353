// Two stacks of two frontends each on one store and one configuration, everything at once: creates, deletes, promotions,
// registrations, codes, refreshes, reloads, rotations. In the end audit, files and store agree with what was answered.
// STORM_SECONDS says for how long, SEED repeats the choices.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { basic, postForm } from '#test/support/http.ts';
import { authorizePath, callback, challenge, verifier } from '#test/support/interactive-idp.ts';
import { type ApiAnswer, apiClient } from '#test/support/management-api.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const seconds = Number(process.env.STORM_SECONDS ?? 20);
const maxClients = 3;

interface Fate {
  readonly name: string;
  readonly promoted: boolean;
  readonly deleted: boolean;
}

describe('a storm on one store', () => {
  let shared: SharedRoot;
  let stacks: RunningIdp[] = [];
  const random = seededRandom();
  before(async function () {
    this.timeout(60_000);
    const { oauth } = sharedSettings;
    shared = makeSharedRoot({
      ...sharedSettings,
      oauth: { ...oauth, dynamic_registration: { enabled: true, max_clients: maxClients } },
    });
    const start = () => startIdp({ root: shared.root, args: ['--oidc-workers', '2'] });
    stacks = [await start(), await start()];
  });
  after(async () => {
    await Promise.all(stacks.map((stack) => stack.stop()));
    shared.remove();
  });

  const any = (): RunningIdp => stacks[random.integer(0, stacks.length - 1)] ?? failed('no stack');
  /** As a patient client does: a 503 with Retry-After (STO-22) changed nothing and is tried again. */
  const patiently = async <Answer extends { status: number; headers: Headers }>(send: () => Promise<Answer>) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send();
      if (answer.status !== 503 || !answer.headers.has('retry-after') || attempt === 20) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    patiently(() => apiClient(any())(method, path, body, headers));
  const token = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    patiently(() => postForm(`${any().baseUrl}/token`, form, headers));
  const failed = (why: string): never => {
    throw new Error(`${why} (seed ${random.seed})`);
  };
  const expectStatus = (answer: ApiAnswer, ...allowed: number[]) => {
    if (!allowed.includes(answer.status)) failed(`${answer.status} ${JSON.stringify(answer.body)}, not ${allowed}`);
  };

  let issued = 0;
  const fates: Fate[] = [];

  /** One object: created once of three tries, then promoted and deleted at the same moment. */
  const liveOneUser = async () => {
    issued += 1;
    const name = `storm-${issued}`;
    const creates = await Promise.all([1, 2, 3].map(() => api('POST', '/api/runtime/users', { username: name })));
    const won = creates.filter(({ status }) => status === 201);
    if (won.length !== 1) failed(`${name} was created ${won.length} times`);
    const [promotion, other, deletion] = await Promise.all([
      api('POST', `/api/runtime/users/${name}/promote`),
      api('POST', `/api/runtime/users/${name}/promote`),
      api('DELETE', `/api/runtime/users/${name}`),
    ]);
    for (const answer of [promotion, other]) expectStatus(answer, 200, 404, 409);
    expectStatus(deletion, 200, 404, 409);
    const promotions = [promotion, other].filter(({ status }) => status === 200).length;
    const deletions = deletion.status === 200 ? 1 : 0;
    if (promotions + deletions > 1) failed(`${name} was promoted ${promotions} and deleted ${deletions} times`);
    fates.push({ name, promoted: promotions === 1, deleted: deletions === 1 });
  };

  const redeemOneCode = async () => {
    const parameters = { client_id: 'spa', code_challenge: challenge, code_challenge_method: 'S256', scope: 'openid' };
    const browser = new BrowserClient(any().baseUrl);
    const page = await patiently(() =>
      browser.post(authorizePath(parameters), { username: 'alice', password: 'wonderland' }),
    );
    const code = redirectParameters(page).get('code') ?? '';
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      client_id: 'spa',
      code_verifier: verifier,
    };
    const attempts = await Promise.all([1, 2, 3].map(() => token(form)));
    const redeemed = attempts.filter(({ status }) => status === 200);
    if (redeemed.length !== 1) failed(`a code was redeemed ${redeemed.length} times`);
  };

  const refreshOnce = async () => {
    const tokens = await (
      await token(
        { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'openid' },
        { Authorization: basic('web', 'web-secret') },
      )
    ).json();
    if (typeof tokens.refresh_token !== 'string') failed(`no refresh token: ${JSON.stringify(tokens)}`);
  };

  const registerSome = async () => {
    const made = await Promise.all([1, 2].map(() => api('POST', '/register', { redirect_uris: [callback] })));
    for (const answer of made) expectStatus(answer, 201, 429);
    const live = (await api('GET', '/api/runtime/clients')).body.count;
    if (live > maxClients) failed(`${live} registrations live`);
    for (const { status, body } of made) {
      if (status !== 201) continue;
      const bearer = { Authorization: `Bearer ${body.registration_access_token}` };
      expectStatus(await api('DELETE', `/register/${body.client_id}`, undefined, bearer), 204);
    }
  };

  const reload = async () => expectStatus(await api('POST', '/api/config/reload'), 200);
  const rotate = async () => expectStatus(await api('POST', '/api/keys/rotate'), 200);

  verifies(
    ['STO-11', 'STO-12', 'AUD-09', 'RUN-07', 'RUN-23'],
    'leaves audit, files and store in agreement',
    async function () {
      this.timeout(60_000 + seconds * 2_000);
      const end = performance.now() + seconds * 1000;
      const keepDoing = async (work: () => Promise<void>, pauseMilliseconds = 0) => {
        while (performance.now() < end) {
          await work();
          await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
        }
      };
      await Promise.all([
        keepDoing(liveOneUser),
        keepDoing(liveOneUser, 50),
        keepDoing(redeemOneCode),
        keepDoing(refreshOnce),
        keepDoing(registerSome),
        keepDoing(reload, 300),
        keepDoing(rotate, 1_000),
      ]);

      expect(fates.length, `seed ${random.seed}`).to.be.greaterThan(5);
      const { entries } = (await api('GET', '/api/audit?limit=-1')).body;
      const times = (type: string, name: string) =>
        entries.filter(
          (entry: { event_type: string; details: { name?: string } }) =>
            entry.event_type === type && entry.details.name === name,
        ).length;
      const inFile = parse(readFileSync(join(shared.root, 'config', 'users.yaml'), 'utf8')).users;
      for (const { name, promoted, deleted } of fates) {
        const about = `${name}, seed ${random.seed}`;
        expect(times('runtime_identity_created', name), about).to.equal(1);
        expect(times('runtime_identity_promoted', name), about).to.equal(promoted ? 1 : 0);
        expect(times('runtime_identity_deleted', name), about).to.equal(deleted ? 1 : 0);
        expect(name in inFile, about).to.equal(promoted);
        const status = (await api('GET', `/api/runtime/users/${name}`)).status;
        expect(status, about).to.equal(promoted || deleted ? 404 : 200);
      }
      for (const type of ['runtime_identity_promotion_recovered', 'runtime_identity_promotion_abandoned']) {
        expect(entries.some(({ event_type }: { event_type: string }) => event_type === type)).to.equal(false);
      }
    },
  );
});
