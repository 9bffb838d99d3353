// /api/exams: who holds the exam of a client, and what ends with it (EXM-03, EXM-08, EXM-10).
import { expect } from 'chai';
import { setFault } from '#test/support/faults.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('/api/exams', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp();
  });
  after(() => idp.stop());

  verifies('EXM-10', 'of one client there is one at a time in a namespace', async () => {
    const sandbox = await makeSandbox(idp);
    const begin = (api = idp.api) => api('POST', '/api/exams', { client_id: 'web' });
    const answers = await Promise.all([1, 2, 3].map(() => begin()));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 409, 409]);
    const made = answers.find(({ status }) => status === 201)?.body;
    expect(made).to.deep.include({ client_id: 'web', sp: null, moves_clock: false });
    expect(answers.find(({ status }) => status === 409)?.body).to.deep.include({ kind: 'exam_running' });
    expect((await begin(sandbox.api)).status).to.equal(201);
    expect((await idp.api('GET', '/api/exams')).body).to.deep.equal({ exams: [made], count: 1 });
    expect((await idp.api('PUT', `/api/exams/${made.id}`, { ttl_seconds: 600 })).status).to.equal(200);
    expect((await idp.api('DELETE', `/api/exams/${made.id}`)).body).to.deep.equal({ deleted: made.id });
    expect((await idp.api('DELETE', `/api/exams/${made.id}`)).body.kind).to.equal('not_found');
    expect((await idp.api('PUT', `/api/exams/${made.id}`, {})).status).to.equal(404);
  });

  verifies(['EXM-03', 'EXM-08'], 'ends with its user, its faults and its move of the clock', async () => {
    const sandbox = await makeSandbox(idp);
    await sandbox.api('PUT', '/api/clock', { offset_seconds: 60 });
    const order = { sp: 'https://sp.example', moves_clock: true };
    const { id, username } = (await sandbox.api('POST', '/api/exams', order)).body;
    await sandbox.api('POST', '/api/runtime/users', { username, password: 'secret of the exam' });
    await sandbox.api('POST', '/api/runtime/users', { username: 'zoe', password: 'another secret' });
    await setFault(sandbox, 'alg_none', { when: { username } });
    await setFault(sandbox, 'alg_none', { when: { username: 'zoe' } });
    await sandbox.api('PUT', '/api/clock', { advance_seconds: 3600 });
    expect((await sandbox.api('DELETE', `/api/exams/${id}`)).status).to.equal(200);
    const { users } = (await sandbox.api('GET', '/api/runtime/users')).body;
    expect(users.map((user: { username: string }) => user.username)).to.deep.equal(['zoe']);
    const { faults } = (await sandbox.api('GET', '/api/faults')).body;
    expect(faults.map(({ when }: { when: object }) => when)).to.deep.equal([{ username: 'zoe' }]);
    expect(Math.round((await sandbox.api('GET', '/api/clock')).body.offset_seconds)).to.equal(60);
  });

  verifies('EXM-08', 'ends by itself when nobody renews it', async () => {
    const { id, username } = (await idp.api('POST', '/api/exams', { client_id: 'spa', ttl_seconds: 1 })).body;
    await idp.api('POST', '/api/runtime/users', { username, password: 'secret of the exam' });
    await until('its user is gone', async () => (await idp.api('GET', `/api/users/${username}`)).status === 404);
    // Its record goes last, and may still be there when the user is not.
    await until('there is no such exam', async () => (await idp.api('DELETE', `/api/exams/${id}`)).status === 404);
  });

  it('names the member that is not acceptable', async () => {
    for (const [body, named] of [
      [{}, /client_id or sp/],
      [{ client_id: 'web', sp: 'x' }, /client_id or sp/],
      [{ client_id: 'web', ttl_seconds: 0 }, /ttl_seconds/],
      [{ client_id: 'web', further: 1 }, /further/],
    ] as const) {
      const answer = await idp.api('POST', '/api/exams', body);
      expect([answer.status, answer.body.kind]).to.deep.equal([400, 'invalid']);
      expect(answer.body.error).to.match(named);
    }
  });
});
