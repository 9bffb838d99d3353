// Which servers a store on PostgreSQL trusts, by the sslmode of its URL: a server with certificates of an authority of our own.
import { createPrivateKey } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openPostgresLocation } from '#shared/state/store/postgres/open-postgres-location.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import { temporaryDirectory } from '#test/support/open-test-store.ts';
import { type PostgresServer, postgresOrSkip, testStoreDependencies } from '#test/support/postgres-server.ts';
import { createTestAuthority, type TestAuthority } from '#test/support/test-authority.ts';
import { verifies } from '#test/support/verifies.ts';

describe('TLS to PostgreSQL', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let port: number;
  let directory: string;
  let authority: TestAuthority;
  before(async function () {
    server = await postgresOrSkip(this, { listen: '127.0.0.1' });
    port = server.port;
    directory = temporaryDirectory();
    authority = await createTestAuthority();
    writeFileSync(join(directory, 'ours.pem'), authority.certificatePem);
    writeFileSync(join(directory, 'other.pem'), (await createTestAuthority('another one')).certificatePem);
    server.place('ours.pem', authority.certificatePem);
    server.place(
      'pg_hba.conf',
      ['local all all trust', 'hostssl all by_certificate all cert', 'host all all all trust'].join('\n'),
    );
  });
  after(async () => {
    if (server === undefined) return;
    rmSync(directory, { recursive: true, force: true });
    await server.stop();
  });

  /** The server shows a certificate with this name from now on. */
  const serveAs = async (name: string) => {
    const { key, cert } = await authority.issue([name]);
    server.place('server.key', key);
    server.place('server.crt', cert);
    await server.ask("ALTER SYSTEM SET ssl_ca_file = 'ours.pem'");
    await server.ask('ALTER SYSTEM SET ssl = on');
    await server.ask('SELECT pg_reload_conf()');
    for (;;) {
      // The postmaster takes its signal when it comes to it, and only new connections have what it read.
      const connected = await outcome('127.0.0.1', 'sslmode=require');
      if (connected === 'encrypted') return;
    }
  };
  /** How a store there is connected, or why it is refused. */
  const outcome = async (host: string, parameters: string, user = server.user) => {
    const url = `postgres://${user}@${host}:${port}/postgres?${parameters}`;
    const location = { kind: 'postgres', url, schema: `of_${user}`, poolSize: 1, directory } as const;
    try {
      const { store, close } = await openPostgresLocation(location, testStoreDependencies());
      await store.generations.newest();
      const sessions = await server.ask(`SELECT bool_and(ssl) AS every, bool_or(ssl) AS some FROM pg_stat_ssl
        JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'test-idp %'`);
      await close();
      return sessions[0]?.every === true ? 'encrypted' : sessions[0]?.some === true ? 'mixed' : 'plain';
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      return error.message;
    }
  };

  verifies('PGS-04', 'is refused where it is asked for and the server has none, at once', async () => {
    expect(await outcome('127.0.0.1', 'sslmode=require')).to.match(/is not trusted \(.*does not support SSL/);
    expect(await outcome('127.0.0.1', '')).to.equal('plain');
    expect(await outcome('127.0.0.1', 'sslmode=prefer')).to.contain('disable, require, verify-ca, verify-full');
  });

  verifies('PGS-04', 'proves as much of who answers as its mode says', async () => {
    await serveAs('localhost');
    const [altname, chain] = [/is not trusted \(.*altnames/, /is not trusted \(.*(self-signed|unable to)/];
    expect(await outcome('127.0.0.1', 'sslmode=disable')).to.equal('plain');
    expect(await outcome('127.0.0.1', '')).to.equal('plain');
    expect(await outcome('127.0.0.1', 'sslmode=require')).to.equal('encrypted');
    expect(await outcome('127.0.0.1', 'sslmode=require&sslrootcert=ours.pem')).to.equal('encrypted');
    expect(await outcome('127.0.0.1', 'sslmode=require&sslrootcert=other.pem')).to.match(chain);
    expect(await outcome('127.0.0.1', 'sslmode=verify-ca&sslrootcert=ours.pem')).to.equal('encrypted');
    expect(await outcome('localhost', 'sslmode=verify-ca&sslrootcert=other.pem')).to.match(chain);
    expect(await outcome('localhost', 'sslmode=verify-ca')).to.match(chain);
    expect(await outcome('localhost', 'sslmode=verify-full&sslrootcert=ours.pem')).to.equal('encrypted');
    expect(await outcome('127.0.0.1', 'sslmode=verify-full&sslrootcert=ours.pem')).to.match(altname);
    expect(await outcome('localhost', 'sslmode=verify-full&sslrootcert=gone.pem')).to.contain(
      'gone.pem cannot be read',
    );

    await serveAs('127.0.0.1');
    expect(await outcome('127.0.0.1', 'sslmode=verify-full&sslrootcert=ours.pem')).to.equal('encrypted');
    expect(await outcome('localhost', 'sslmode=verify-full&sslrootcert=ours.pem')).to.match(altname);
  });

  verifies('PGS-04', 'shows a certificate of its own, with a key under a passphrase', async () => {
    await server.ask('CREATE ROLE by_certificate LOGIN; GRANT CREATE ON DATABASE postgres TO by_certificate');
    await serveAs('localhost');
    const { key, cert } = await authority.issue(['by_certificate']);
    const locked = createPrivateKey(key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'a pass',
    });
    writeFileSync(join(directory, 'client.pem'), cert);
    writeFileSync(join(directory, 'client.key'), locked);
    const shown = 'sslcert=client.pem&sslkey=client.key';
    const mode = 'sslmode=verify-full&sslrootcert=ours.pem';
    const ask = (parameters: string) => outcome('localhost', `${mode}&${parameters}`, 'by_certificate');
    expect(await ask(`${shown}&sslpassword=a%20pass`)).to.equal('encrypted');
    expect(await ask('')).to.contain('rejects the user by_certificate');
    const refused = await ask(`${shown}&sslpassword=a%20guess`);
    expect(refused).to.contain('requires sslpassword').and.to.not.contain('a guess');
  });
});
