// Faults of the HTTP exchange itself, checked as bytes on a socket.
import { expect } from 'chai';
import { faultOf, headerOf, noFaults, type RawAnswer, rawRequest, setFault } from '#test/support/faults.ts';
import { basic } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const form = 'application/x-www-form-urlencoded';
const web = { Authorization: basic('web', 'web-secret'), 'Content-Type': form };
const credentials = 'grant_type=client_credentials';

describe('faults of the HTTP exchange', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  const ask = (): Promise<RawAnswer> => rawRequest(idp, 'POST', '/token', web, credentials);
  const discover = () => rawRequest(idp, 'GET', '/.well-known/openid-configuration');
  const statusOf = ({ head }: RawAnswer) => Number(head.split(' ')[1]);
  const faulty = async (name: string, parameters: object = {}, request = ask): Promise<RawAnswer> => {
    const fault = await setFault(idp, name, { parameters });
    const answer = await request();
    expect((await faultOf(idp, fault)).hits).to.equal(1);
    if (answer.head !== '') expect(headerOf(answer, 'X-Test-Idp-Fault')).to.equal(name);
    return answer;
  };

  verifies('FLT-K001', 'delay the first byte of a correct response', async () => {
    const answer = await faulty('delay', { ms: 300 });
    expect(answer.firstByteMilliseconds).to.be.at.least(290);
    expect(JSON.parse(answer.body.toString())).to.include({ token_type: 'Bearer' });
  });

  verifies('FLT-K002', 'send no byte for a while, then close the connection', async () => {
    const answer = await faulty('hang', { seconds: 1 });
    expect(answer.bytes).to.have.length(0);
    expect([answer.ended, answer.milliseconds > 990]).to.deep.equal(['end', true]);
  });

  verifies('FLT-K003', 'reset the connection without a byte', async () => {
    const answer = await faulty('reset_connection');
    expect([answer.bytes.length, answer.ended]).to.deep.equal([0, 'ECONNRESET']);
  });

  verifies('FLT-K004', 'send another status', async () => {
    const answer = await faulty('status', { status: 507 });
    expect([statusOf(answer), answer.body.toString()]).to.deep.equal([507, '{"error":"server_error"}']);
    expect(statusOf(await faulty('status'))).to.equal(500);
  });

  verifies('FLT-K005', 'report the service as unavailable with Retry-After', async () => {
    const answer = await faulty('unavailable', { retry_after: 7 });
    expect([statusOf(answer), headerOf(answer, 'Retry-After')]).to.deep.equal([503, '7']);
    expect(JSON.parse(answer.body.toString()).error).to.equal('temporarily_unavailable');
  });

  verifies('FLT-K006', 'report too many requests with Retry-After', async () => {
    const answer = await faulty('too_many_requests');
    expect([statusOf(answer), headerOf(answer, 'Retry-After')]).to.deep.equal([429, '2']);
  });

  verifies('FLT-K007', 'send half of the body with the length of the whole body', async () => {
    const right = await discover();
    const answer = await faulty('truncated_body', {}, discover);
    expect(headerOf(answer, 'Content-Length')).to.equal(String(right.body.length));
    expect(answer.body).to.deep.equal(right.body.subarray(0, Math.floor(right.body.length / 2)));
  });

  verifies(['FLT-K007', 'FLT-K014', 'TIM-26'], 'use the length of the page including the clock banner', async () => {
    await idp.api('PUT', '/api/clock', { advance_seconds: 60 });
    try {
      const page = () => rawRequest(idp, 'GET', '/logout');
      const right = await page();
      expect(right.body.toString()).to.contain('clock');
      const half = await faulty('truncated_body', {}, page);
      expect(headerOf(half, 'Content-Length')).to.equal(String(right.body.length));
      expect(half.body).to.have.length(Math.floor(right.body.length / 2));
      const short = await faulty('wrong_content_length', {}, page);
      expect(headerOf(short, 'Content-Length')).to.equal(String(right.body.length - 10));
      expect(short.body).to.have.length(right.body.length);
    } finally {
      await idp.api('DELETE', '/api/clock');
    }
  });

  const bodyFaults = [
    ...['truncated_body', 'malformed_json', 'empty_body', 'slow_drip', 'wrong_content_length', 'huge_body'],
    ...['broken_gzip', 'duplicate_members'],
  ];

  verifies('FLT-17', 'do not fire for responses without a body: 304, HEAD', async () => {
    const tag = headerOf(await discover(), 'ETag') ?? '';
    for (const name of bodyFaults) {
      const fault = await setFault(idp, name, { at: ['discovery', 'jwks'] });
      const known = await rawRequest(idp, 'GET', '/.well-known/openid-configuration', { 'If-None-Match': tag });
      const head = await rawRequest(idp, 'HEAD', '/.well-known/openid-configuration');
      expect([statusOf(known), statusOf(head)], name).to.deep.equal([304, 200]);
      expect(headerOf(head, 'X-Test-Idp-Fault'), name).to.equal(undefined);
      expect(await faultOf(idp, fault), name).to.include({ hits: 0, remaining: 1 });
      await noFaults(idp);
    }
    const late = await setFault(idp, 'delay', { parameters: { ms: 1 }, times: 2 });
    await rawRequest(idp, 'GET', '/.well-known/openid-configuration', { 'If-None-Match': tag });
    await rawRequest(idp, 'HEAD', '/.well-known/openid-configuration');
    expect((await faultOf(idp, late)).hits).to.equal(2);
  });

  it('change the ETag, so that a cached faulty body is fetched again (RFC 9110 §8.8.1)', async () => {
    const right = headerOf(await discover(), 'ETag');
    for (const name of [...bodyFaults, 'wrong_content_type', 'delay']) {
      const parameters = { slow_drip: { bytes_per_second: 10_000 }, delay: { ms: 1 } }[name] ?? {};
      const tag = headerOf(await faulty(name, parameters, discover), 'ETag') ?? expect.fail(name);
      if (name === 'slow_drip' || name === 'delay') expect(tag, name).to.equal(right);
      else expect(tag, name).not.to.equal(right);
      const again = await rawRequest(idp, 'GET', '/.well-known/openid-configuration', { 'If-None-Match': tag });
      expect(statusOf(again), name).to.equal(tag === right ? 304 : 200);
    }
  });

  verifies('FLT-K008', 'send JSON without its last byte, with the correct length', async () => {
    const right = await discover();
    const answer = await faulty('malformed_json', {}, discover);
    expect(answer.body).to.deep.equal(right.body.subarray(0, -1));
    expect(headerOf(answer, 'Content-Length')).to.equal(String(answer.body.length));
  });

  verifies('FLT-K009', 'send another media type', async () => {
    expect(headerOf(await faulty('wrong_content_type'), 'Content-Type')).to.equal('text/plain');
    const answer = await faulty('wrong_content_type', { type: 'application/jwt' });
    expect(headerOf(answer, 'Content-Type')).to.equal('application/jwt');
    expect(JSON.parse(answer.body.toString())).to.include({ token_type: 'Bearer' });
  });

  verifies('FLT-K010', 'send the status without a body', async () => {
    const answer = await faulty('empty_body');
    expect([statusOf(answer), answer.body.length, headerOf(answer, 'Content-Length')]).to.deep.equal([200, 0, '0']);
  });

  verifies('FLT-K011', 'send the error page of a gateway', async () => {
    const answer = await faulty('html_error_page');
    expect([statusOf(answer), headerOf(answer, 'Content-Type')]).to.deep.equal([502, 'text/html; charset=utf-8']);
    expect(answer.body.toString()).to.match(/^<html>[\s\S]*502/);
  });

  verifies('FLT-K012', 'redirect to the start page', async () => {
    const answer = await faulty('redirect_answer');
    expect([statusOf(answer), headerOf(answer, 'Location')]).to.deep.equal([302, `${idp.baseUrl}/`]);
  });

  verifies('FLT-K013', 'send the correct body slowly', async () => {
    const right = await discover();
    const answer = await faulty('slow_drip', { bytes_per_second: 5000 }, discover);
    expect(answer.body).to.deep.equal(right.body);
    const slowest = (right.body.length / 5000) * 1000;
    expect(answer.milliseconds).to.be.at.least(slowest / 2);
  });

  verifies('FLT-K014', 'send a length that is ten bytes too short', async () => {
    const right = await discover();
    const answer = await faulty('wrong_content_length', {}, discover);
    expect(headerOf(answer, 'Content-Length')).to.equal(String(right.body.length - 10));
    expect(answer.body).to.deep.equal(right.body);
  });

  verifies('FLT-K015', 'send the correct JSON with much white space', async () => {
    const right = await discover();
    const answer = await faulty('huge_body', { bytes: 100_000 }, discover);
    expect(answer.body).to.have.length(100_000);
    expect(answer.body.toString().trimEnd()).to.equal(right.body.toString());
  });

  verifies('FLT-K016', 'send plain text that claims to be gzip', async () => {
    const answer = await faulty('broken_gzip');
    expect(headerOf(answer, 'Content-Encoding')).to.equal('gzip');
    expect(JSON.parse(answer.body.toString())).to.include({ token_type: 'Bearer' });
  });

  verifies('FLT-K017', 'make a response cacheable', async () => {
    const answer = await faulty('cacheable_answer');
    expect(headerOf(answer, 'Cache-Control')).to.equal('public, max-age=3600');
    expect(headerOf(answer, 'Pragma')).to.equal(undefined);
  });

  verifies('FLT-K018', 'send every member twice', async () => {
    const right = await discover();
    const answer = await faulty('duplicate_members', {}, discover);
    const text = answer.body.toString();
    expect(JSON.parse(text)).to.deep.equal(JSON.parse(right.body.toString()));
    expect(text).to.match(/^\{"issuer":"first","issuer":"http/);
  });

  verifies('FLT-K019', 'send a chosen OAuth error', async () => {
    const answer = await faulty('oauth_error', { error: 'invalid_scope', error_description: 'No.' });
    const body = JSON.parse(answer.body.toString());
    expect([statusOf(answer), body]).to.deep.equal([400, { error: 'invalid_scope', error_description: 'No.' }]);
    expect(headerOf(answer, 'Cache-Control')).to.equal('no-store');
  });

  verifies('FLT-K019', 'send the chosen error with the status and challenge of its endpoint', async () => {
    const basic = `Basic realm="${idp.baseUrl}"`;
    for (const [at, error, status, challenge] of [
      ['token', 'server_error', 400, undefined],
      ['token', 'invalid_client', 401, basic],
      ['introspect', 'invalid_client', 401, basic],
      ['userinfo', 'invalid_token', 401, 'Bearer error="invalid_token"'],
      ['userinfo', 'insufficient_scope', 403, 'Bearer error="insufficient_scope"'],
      ['userinfo', 'server_error', 400, 'Bearer error="server_error"'],
    ] as const) {
      await setFault(idp, 'oauth_error', { at, parameters: { error } });
      const answer = await rawRequest(idp, 'POST', `/${at}`, { 'Content-Type': form });
      const found = [statusOf(answer), JSON.parse(answer.body.toString()).error, headerOf(answer, 'WWW-Authenticate')];
      expect(found, at).to.deep.equal([status, error, challenge]);
    }
  });

  verifies('FLT-K020', 'send an error with status 200', async () => {
    const answer = await faulty('oauth_error_with_200');
    expect([statusOf(answer), answer.body.toString()]).to.deep.equal([200, '{"error":"invalid_grant"}']);
  });

  verifies('FLT-K021', 'send an error in a nonstandard format', async () => {
    const answer = await faulty('nonstandard_error');
    expect(statusOf(answer)).to.equal(400);
    expect(JSON.parse(answer.body.toString()).errors[0].code).to.equal('E1');
  });

  verifies('FLT-K022', 'send an error as a form', async () => {
    const answer = await faulty('error_as_form');
    expect([statusOf(answer), headerOf(answer, 'Content-Type')]).to.deep.equal([400, form]);
    expect(answer.body.toString()).to.equal('error=invalid_grant');
  });
});
