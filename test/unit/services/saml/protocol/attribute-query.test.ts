import { expect } from 'chai';
import { readAttributeQuery } from '#services/saml/protocol/attribute-query.ts';
import { parseXml } from '#services/saml/protocol/xml/parse-xml.ts';

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
        attributeNames: ['b', 'a'],
      },
    });
  });

  it('says what is missing, in order, with the id as far as it is known', () => {
    const missing = (xml: string) => {
      const result = read(xml);
      return result.outcome === 'incomplete' ? [result.id, result.faultstring] : result;
    };
    expect(missing('<x/>')).to.deep.equal([undefined, 'The body holds no AttributeQuery inside a SOAP envelope.']);
    expect(missing(`${open}</p:AttributeQuery>`)).to.deep.equal([
      '_q',
      'The body holds no AttributeQuery inside a SOAP envelope.',
    ]);
    expect(missing(`<x>${open}</p:AttributeQuery></x>`)).to.deep.equal(['_q', 'The AttributeQuery has no Subject.']);
    expect(missing(`<x>${open}<a:Subject/></p:AttributeQuery></x>`)).to.deep.equal([
      '_q',
      'The Subject of the AttributeQuery has no NameID.',
    ]);
    expect(missing('<AttributeQuery ID="_foreign"/>')).to.deep.equal([
      undefined,
      'The body holds no AttributeQuery inside a SOAP envelope.',
    ]);
  });

  it('tells an empty id from none', () => {
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
