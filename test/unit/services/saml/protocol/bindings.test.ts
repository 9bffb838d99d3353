import { deflateRawSync, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { readMessage } from '#services/saml/protocol/bindings.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import { verifies } from '#test/support/verifies.ts';

const plain = (text: string) => Buffer.from(text).toString('base64');
const deflated = (text: string | Buffer) => deflateRawSync(text).toString('base64');
const unreadable = (encoded: string, binding: 'GET' | 'POST', strict: boolean) =>
  expect(() => readMessage(encoded, binding, strict), `${binding} ${strict} ${encoded.slice(0, 20)}`).to.throw(
    XmlUnreadableError,
  );

describe('readMessage', () => {
  verifies('SAM-15', 'accepts only DEFLATE in a redirect and only plain base64 in a post in strict mode', () => {
    expect(readMessage(deflated('<a/>'), 'GET', true).local).to.equal('a');
    expect(readMessage(plain('<a/>'), 'POST', true).local).to.equal('a');
    unreadable(plain('<a/>'), 'GET', true);
    unreadable(deflated('<a/>'), 'POST', true);
    unreadable(deflateSync('<a/>').toString('base64'), 'GET', true);
  });

  it('rejects data that is not base64 in strict mode', () => {
    for (const encoded of ['', ' ', '!', 'PGEvPg=', 'PGEvP', 'PGEv*Pg==', 'PGEvPg==PGEvPg==', 'PGEv-Pg_']) {
      unreadable(encoded, 'POST', true);
    }
    expect(readMessage('PGEv\r\nPg==', 'POST', true).local).to.equal('a');
    expect(readMessage('PGEvPg', 'POST', true).local).to.equal('a');
  });

  verifies('SAM-14', 'accepts both forms in both bindings in lenient mode', () => {
    for (const binding of ['GET', 'POST'] as const) {
      for (const encoded of [plain('<a/>'), deflated('<a/>'), plain('\uFEFF<a/>'), plain(' <a/>')]) {
        expect(readMessage(encoded, binding, false).local).to.equal('a');
      }
      for (const encoded of ['', '%%%', plain('x'), plain('<a>'), deflated('x')]) unreadable(encoded, binding, false);
    }
  });

  it('reads DEFLATE data whose first octet is that of "<"', () => {
    const texts = Array.from(
      { length: 400 },
      (_, index) => `<a>${'xyzzy'.repeat(index)}${'q'.repeat(index % 7)}${index}</a>`,
    );
    const odd = texts.find((text) => deflateRawSync(text)[0] === 0x3c);
    for (const text of odd === undefined ? texts : [odd, ...texts]) {
      expect(readMessage(deflated(text), 'GET', false).local).to.equal('a');
    }
  });

  verifies('SAM-17', 'rejects data that inflates above 1 MiB, without inflating it to its end', () => {
    const bomb = deflated(Buffer.alloc(64 * 1024 * 1024, 0x20));
    const before = process.memoryUsage().arrayBuffers;
    for (const strict of [true, false]) unreadable(bomb, 'GET', strict);
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(8 * 1024 * 1024);
    const fits = `<a>${' '.repeat(1024 * 1024 - 7)}</a>`;
    expect(readMessage(deflated(fits), 'GET', true).local).to.equal('a');
    unreadable(deflated(`${fits} `), 'GET', true);
  });
});
