// Counts what is open in the test's process while an instance starts, resets and stops.
import { mock } from 'node:test';
import { expect } from 'chai';
import { startIdp } from '#api/index.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { generateRsaKeyPair, privateKeyPem, publicKeyPem } from '#shared/state/keys/key-pair.ts';
import { countLooks } from '#test/support/open-looks.ts';
import { verifies } from '#test/support/verifies.ts';

describe('startIdp leaves nothing open', () => {
  let openPolls: ReadonlySet<unknown>;
  let keys: { readonly privateKey: string; readonly publicKey: string };
  before(async () => {
    const pair = await generateRsaKeyPair();
    keys = { privateKey: privateKeyPem(pair), publicKey: publicKeyPem(pair.publicKey) };
  });
  beforeEach(() => {
    openPolls = countLooks();
  });
  afterEach(() => mock.restoreAll());

  const kindOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof Error && 'kind' in error ? error.kind : error),
    );
  const answers = (url: string) =>
    fetch(`${url}/health`).then(
      ({ status }) => status,
      () => 'nobody',
    );

  verifies(['API-26', 'API-29', 'API-31'], 'when it is stopped during a reset', async () => {
    const idp = await startIdp({ keys });
    expect(openPolls.size).to.be.above(0);
    const resetting = kindOf(idp.reset());
    await idp.stop();
    expect(openPolls.size).to.equal(0);
    expect(await resetting).to.equal('stopped');
    expect(openPolls.size).to.equal(0);
    expect(await kindOf(idp.reset())).to.equal('stopped');
  });

  verifies(['API-26', 'API-31'], 'after two simultaneous resets', async () => {
    const idp = await startIdp({ keys });
    const usual = openPolls.size;
    expect(await Promise.all([kindOf(idp.reset()), kindOf(idp.reset())])).to.deep.equal(['done', 'done']);
    expect(openPolls.size).to.equal(usual);
    expect(await answers(idp.url)).to.equal(200);
    await idp.stop();
    expect(openPolls.size).to.equal(0);
  });

  verifies(['API-14', 'API-15'], 'when the signal is aborted after the start, before startIdp returns', async () => {
    const former = await startIdp({ keys });
    const { port, url } = former;
    await former.stop();
    const reason = new Error('the test is over');
    const ending = new AbortController();
    const { signal } = ending;
    const leave = signal.removeEventListener.bind(signal);
    // Once the start no longer listens to the signal, it is complete.
    mock.method(signal, 'removeEventListener', (type: 'abort', listener: () => void) => {
      leave(type, listener);
      ending.abort(reason);
    });
    expect(await kindOf(startIdp({ keys, port, signal }))).to.equal(reason);
    expect(await answers(url)).to.equal('nobody');
    expect(openPolls.size).to.equal(0);
  });

  verifies('API-14', 'when a frontend cannot be made', async () => {
    const { token } = systemRandomness;
    mock.method(systemRandomness, 'token', (bytes: number) => {
      // The number by which a frontend distinguishes its own requests.
      if (bytes === 4) throw new Error('no randomness');
      return token(bytes);
    });
    const refused: unknown = await startIdp({ keys }).catch((error: unknown) => error);
    expect(String(refused)).to.contain('no randomness');
    expect(openPolls.size).to.equal(0);
  });
});
