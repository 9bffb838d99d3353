import { expect } from 'chai';
import { readAttributeQuery } from '#services/saml/protocol/attribute-query.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { sentences } from '#test/support/sentences.ts';

const open =
  '<p:AttributeQuery xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion" ID="_q">';
const read = (xml: string) => readAttributeQuery(parseXml(xml));

describe('readAttributeQuery', () => {
  it('reads a query at any depth below the root', () => {
    const xml = `<x><y><z>${open}<a:Issuer> sp </a:Issuer><a:Subject><a:NameID SPProvidedID="i"> alice </a:NameID></a:Subject><a:Attribute Name="b"/><a:Attribute/><a:Attribute Name="a"/></p:AttributeQuery></z></y></x>`;
    expect(read(xml)).to.deep.equal({
      outcome: 'query',
      query: {
        id: '_q',
        issuer: 'sp',
        nameId: {
          value: ' alice ',
          Format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
          NameQualifier: undefined,
          SPNameQualifier: undefined,
          SPProvidedID: 'i',
        },
        attributes: new Map([
          ['b', []],
          ['a', []],
        ]),
      },
    });
  });

  it('reports what is missing, in order, with the id if it is known', () => {
    const missing = (xml: string) => {
      const result = read(xml);
      return result.outcome === 'incomplete' ? [result.id, result.refused.message] : result;
    };
    expect(missing('<x/>')).to.deep.equal([undefined, sentences.attributeQueryMissing]);
    expect(missing(`${open}</p:AttributeQuery>`)).to.deep.equal(['_q', sentences.attributeQueryMissing]);
    expect(missing(`<x>${open}</p:AttributeQuery></x>`)).to.deep.equal(['_q', sentences.attributeQueryWithoutSubject]);
    expect(missing(`<x>${open}<a:Subject/></p:AttributeQuery></x>`)).to.deep.equal([
      '_q',
      'The Subject of the AttributeQuery has no NameID.',
    ]);
    expect(missing('<AttributeQuery ID="_foreign"/>')).to.deep.equal([undefined, sentences.attributeQueryMissing]);
  });

  it('joins the requested values of an attribute that is named twice', () => {
    const requestedBy = (attributes: string) => {
      const xml = `<x>${open}<a:Subject><a:NameID>n</a:NameID></a:Subject>${attributes}</p:AttributeQuery></x>`;
      const result = read(xml);
      return result.outcome === 'query' ? Object.fromEntries(result.query.attributes) : result;
    };
    const values = (name: string, ...texts: string[]) =>
      `<a:Attribute Name="${name}">${texts.map((text) => `<a:AttributeValue>${text}</a:AttributeValue>`).join('')}</a:Attribute>`;
    expect(requestedBy(values('n', 'x', '') + values('m'))).to.deep.equal({ n: ['x', ''], m: [] });
    expect(requestedBy(values('n', 'x') + values('n', 'y'))).to.deep.equal({ n: ['x', 'y'] });
    expect(requestedBy(values('n', 'x') + values('n'))).to.deep.equal({ n: [] });
    expect(requestedBy(values('n') + values('n', 'x'))).to.deep.equal({ n: [] });
  });

  it('finds mustUnderstand header blocks that are addressed to this server (SOAP 1.1 §4.2)', () => {
    const blocks = (header: string, envelope = 'http://schemas.xmlsoap.org/soap/envelope/') => {
      const result = read(
        `<e:Envelope xmlns:e="${envelope}">${header}<e:Body>${open}<a:Subject><a:NameID>n</a:NameID></a:Subject></p:AttributeQuery></e:Body></e:Envelope>`,
      );
      return result.outcome === 'not_understood' ? [result.id, result.refused.message] : result.outcome;
    };
    const refused = ['_q', 'The header block b has mustUnderstand, and this server does not support it.'];
    const block = (attributes: string) =>
      blocks(`<e:Header><o xmlns="urn:o"/><b xmlns="urn:b" ${attributes}/></e:Header>`);
    expect(block('e:mustUnderstand="1"')).to.deep.equal(refused);
    expect(block('e:mustUnderstand="1" e:actor=""')).to.deep.equal(refused);
    const next = 'e:actor="http://schemas.xmlsoap.org/soap/actor/next"';
    expect(block(`e:mustUnderstand="1" ${next}`)).to.deep.equal(refused);
    for (const harmless of [
      '',
      'e:mustUnderstand="0"',
      'mustUnderstand="1"',
      next,
      'e:mustUnderstand="1" e:actor="urn:x"',
    ]) {
      expect(block(harmless), harmless).to.equal('query');
    }
    expect(blocks('<e:Header><o><b e:mustUnderstand="1"/></o></e:Header>'), 'no block of its own').to.equal('query');
    expect(blocks('<e:Header><b e:mustUnderstand="1"/></e:Header>', 'urn:other')).to.equal('query');
  });

  it('distinguishes an empty id from a missing one', () => {
    const id = (attribute: string) => {
      const result = read(
        `<x>${open.replace(' ID="_q"', attribute)}<a:Subject><a:NameID/></a:Subject></p:AttributeQuery></x>`,
      );
      return result.outcome === 'query' ? result.query.id : result;
    };
    expect(id('')).to.equal(undefined);
    expect(id(' ID=""')).to.equal('');
  });
});
