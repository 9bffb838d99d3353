import { expect } from 'chai';
import {
  isSameDatabase,
  readPostgresUrl,
  shownPostgresUrl,
  sslModeOf,
} from '#shared/model/runtime-store/postgres-url.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the URL of a PostgreSQL server', () => {
  const read = (url: string) => {
    const address = readPostgresUrl(url);
    if ('problem' in address) throw new Error(address.problem);
    return address;
  };
  const problem = (url: string) => {
    const address = readPostgresUrl(url);
    return 'problem' in address ? address.problem : undefined;
  };

  verifies('PGS-02', 'names one or several hosts, or the directory of a socket', () => {
    expect(read('postgres://u:p%40ss:word@db.example:6543/idp')).to.deep.include({
      hosts: [{ host: 'db.example', port: 6543 }],
      user: 'u',
      password: 'p@ss:word',
      database: 'idp',
    });
    expect(read('postgresql://u@one,two:5433,[::1]:5434/idp').hosts).to.deep.equal([
      { host: 'one', port: 5432 },
      { host: 'two', port: 5433 },
      { host: '::1', port: 5434 },
    ]);
    expect(read('postgres://u@/idp?host=/run/postgresql').hosts).to.deep.equal([
      { host: '/run/postgresql', port: 5432 },
    ]);
    expect(read('postgres://u@:6000/idp?host=%2Frun').hosts).to.deep.equal([{ host: '/run', port: 6000 }]);
  });

  it('is rejected with the missing part, but never with its password', () => {
    expect(problem('postgres://h/d')).to.contain('must name the user');
    expect(problem('postgres://u:secret@h')).to.contain('must name the database');
    expect(problem('postgres://u:secret@/d')).to.contain('must name a host');
    expect(problem('postgres://u:secret@h:port/d')).to.contain('host:port');
    expect(problem('postgres://u:se%cret@h/d')).to.contain('%25');
    expect(problem('postgres://u:secret@h/d?options=-c')).to.contain('Known: host, sslmode');
    for (const url of ['postgres://u:secret@h', 'postgres://u:secret@h/d?x=secret', 'http://u:secret@h/d']) {
      expect(problem(url)).to.be.a('string').that.does.not.contain('secret');
    }
  });

  verifies('PGS-04', 'requires verified TLS, unless the server is on this machine or the URL says otherwise', () => {
    const modes = (url: string) => {
      const address = read(url);
      return address.hosts.map((host) => sslModeOf(address, host));
    };
    expect(modes('postgres://u@db.example,127.0.0.1,localhost,[::1]/d')).to.deep.equal([
      'verify-full',
      ...['disable', 'disable', 'disable'],
    ]);
    expect(modes('postgres://u@db.example,127.0.0.1/d?sslmode=require')).to.deep.equal(['require', 'require']);
    expect(modes('postgres://u@/d?host=/run&sslmode=require')).to.deep.equal(['disable']);
    expect(problem('postgres://u@h/d?sslmode=prefer')).to.contain('disable, require, verify-ca, verify-full');
  });

  it('is shown without password and parameters, and identically for the same database', () => {
    expect(shownPostgresUrl('postgresql://u:secret@one,two:5433/d?sslpassword=secret')).to.equal(
      'postgres://u@one:5432,two:5433/d',
    );
    expect(isSameDatabase('postgres://u:a@h/d', 'postgres://v:b@g/d?sslmode=require')).to.equal(true);
    expect(isSameDatabase('postgres://u:a@h/d', 'postgres://u:a@h/e')).to.equal(false);
  });
});
