import { expect } from 'chai';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import { attributeValue, childElements, textOf } from '#shared/protocol/saml/xml-element.ts';
import { verifies } from '#test/support/verifies.ts';

const refused = (source: string, pattern: RegExp) => {
  expect(() => parseXml(source), source.slice(0, 80)).to.throw(XmlUnreadableError, pattern);
};

describe('parseXml', () => {
  it('reads names, namespaces, attributes and text', () => {
    const root = parseXml(
      '<?xml version="1.0" encoding="UTF-8"?>\n<a:b xmlns:a="urn:a" x="1" a:x="2"><c xmlns="urn:c"/>t</a:b>\n',
    );
    expect(root).to.deep.equal({
      prefix: 'a',
      local: 'b',
      namespace: 'urn:a',
      declarations: [['a', 'urn:a']],
      attributes: [
        { prefix: '', local: 'x', namespace: '', value: '1' },
        { prefix: 'a', local: 'x', namespace: 'urn:a', value: '2' },
      ],
      children: [
        { prefix: '', local: 'c', namespace: 'urn:c', declarations: [['', 'urn:c']], attributes: [], children: [] },
        't',
      ],
    });
  });

  it('resolves references and CDATA, and joins text around comments and processing instructions', () => {
    const root = parseXml('<a b="&lt;&#x41;&#10;&quot;\n&apos;">x&amp;<!-- c --><?p i?><![CDATA[<&]]>&#x1F600;</a>');
    expect(attributeValue(root, 'b')).to.equal('<A\n" \'');
    expect(root.children).to.deep.equal(['x&<&\u{1F600}']);
  });

  it('turns line ends into line feeds, and keeps those written as references', () => {
    expect(textOf(parseXml('<a>1\r\n2\r3&#13;4</a>'))).to.equal('1\n2\n3\r4');
  });

  it('reads UTF-16 with a byte order mark and UTF-8 with or without one', () => {
    const text = '<?xml version="1.0" encoding="UTF-16"?><a>é</a>';
    expect(textOf(parseXml(decodeXml(Buffer.from(`\uFEFF${text}`, 'utf16le'))))).to.equal('é');
    expect(textOf(parseXml(decodeXml(Buffer.from('\uFEFF<a>é</a>', 'utf8'))))).to.equal('é');
    expect(() => decodeXml(Buffer.from([0x3c, 0x61, 0xff, 0x3e]))).to.throw(XmlUnreadableError, 'not valid UTF-8');
    refused('<?xml version="1.0" encoding="ISO-8859-1"?><a/>', /encoding/);
  });

  verifies('SAM-17', 'refuses every document type declaration and unknown entity', () => {
    refused('<!DOCTYPE a><a/>', /document type declaration/);
    refused('<?xml version="1.0"?><!-- x --><!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /document type declaration/);
    refused('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', /document type declaration/);
    refused('<!doctype a><a/>', /invalid tag/);
    refused('<a>&x;</a>', /unknown entity/);
    refused('<a b="&nbsp;"/>', /unknown entity/);
  });

  for (const [source, pattern] of [
    ['', /no root/],
    ['   ', /no root/],
    ['text', /outside its root/],
    ['<a>', /ends inside/],
    ['<a></b>', /matches no opening tag/],
    ['</a>', /matches no opening tag/],
    ['<a/><b/>', /more than one root/],
    ['<a/>x', /outside its root/],
    ['<a/><![CDATA[x]]>', /outside its root/],
    ['<a b="1" b="2"/>', /twice/],
    ['<a xmlns:x="u" xmlns:y="u" x:b="1" y:b="2"/>', /twice/],
    ['<a xmlns:x="u" xmlns:x="v"/>', /prefix twice/],
    ['<x:a/>', /undeclared prefix/],
    ['<a x:b="1"/>', /undeclared prefix/],
    ['<a xmlns:x=""/>', /removes the namespace/],
    ['<a xmlns:xml="urn:x"/>', /reserved/],
    ['<a xmlns:xmlns="urn:x"/>', /reserved/],
    ['<a xmlns="http://www.w3.org/2000/xmlns/"/>', /reserved/],
    ['<a b=1/>', /invalid tag/],
    ['<a b="<"/>', /invalid tag/],
    ['<a b="1"c="2"/>', /invalid tag/],
    ['<a ="1"/>', /invalid tag/],
    ['<1a/>', /invalid tag/],
    ['<a>&</a>', /unknown entity/],
    ['<a>&#0;</a>', /unknown entity or character/],
    ['<a>&#xD800;</a>', /unknown entity or character/],
    ['<a>&#x110000;</a>', /unknown entity or character/],
    ['<a>&#99999999999999999999;</a>', /unknown entity or character/],
    ['<a>]]></a>', /"\]\]>"/],
    ['<a><!-- -- --></a>', /inside a comment/],
    ['<a><!-- </a>', /without an end/],
    ['<a><![CDATA[ </a>', /without an end/],
    ['<a><?p </a>', /without an end/],
    ['<a><?xml version="1.0"?></a>', /processing instruction/],
    [' <?xml version="1.0"?><a/>', /processing instruction/],
    ['<?xml version="2.0"?><a/>', /processing instruction/],
    ['<a>\u0000</a>', /character that XML 1.0 forbids/],
    ['<a>\uFFFE</a>', /character that XML 1.0 forbids/],
    ['<a b="\u0007"/>', /character that XML 1.0 forbids/],
    ['<a>\uD800</a>', /character that XML 1.0 forbids/],
    ['<a\u00A0b="1"/>', /invalid tag/],
  ] as const) {
    it(`refuses ${JSON.stringify(source)}`, () => refused(source, pattern));
  }

  it('names the line of what is wrong', () => refused('<a>\n\n<b></c></a>', /line 3/));

  it('bounds depth, elements, attributes and length', () => {
    refused('<a>'.repeat(65), /deeper than 64/);
    expect(parseXml(`${'<a>'.repeat(64)}${'</a>'.repeat(64)}`).local).to.equal('a');
    refused(`<a>${'<b/>'.repeat(20_000)}</a>`, /more than 20000 elements/);
    refused(`<a ${Array.from({ length: 257 }, (_, index) => `b${index}="1"`).join(' ')}/>`, /more than 256 attributes/);
    const declaring = (count: number) =>
      Array.from({ length: count }, (_, index) => `xmlns:n${index}="urn:n"`).join(' ');
    refused(`<a ${declaring(50)}><b ${declaring(99)}/></a>`, /more than 100 namespaces in scope/);
    expect(parseXml(`<a ${declaring(98)}><b ${declaring(98)}/></a>`).local).to.equal('a');
    refused(`<a>${'x'.repeat(1024 * 1024)}</a>`, /larger than 1 MiB/);
  });

  it('takes linear time for hostile documents of full size', function () {
    // About a second alone on a machine; a quadratic reader would need minutes.
    this.timeout(20_000);
    const size = 1024 * 1024;
    for (const source of [
      `<a>${'&amp;'.repeat(size / 5 - 10)}</a>`,
      `<a>${'<![CDATA[x]]>'.repeat(size / 13 - 10)}</a>`,
      `<a b="${'&#65;'.repeat(size / 5 - 10)}"/>`,
      `<a${' '.repeat(size - 10)}/>`,
      `<a ${'b'.repeat(size - 10)}`,
      `<a>${'<!---->'.repeat(size / 7 - 10)}</a>`,
      `<a>${'&'.repeat(size - 10)}</a>`,
      nestedDeclarations(40, 256, 19_900),
      nestedDeclarations(1, 97, 19_900),
    ]) {
      try {
        parseXml(source);
      } catch (error) {
        expect(error).to.be.instanceOf(XmlUnreadableError);
      }
    }
  });

  it('finds children by element only', () => {
    const root = parseXml('<a> <b/> x <c/> </a>');
    expect(childElements(root).map(({ local }) => local)).to.deep.equal(['b', 'c']);
    expect(writeDocument(root)).to.equal('<a> <b></b> x <c></c> </a>');
  });
});

/** Elements inside each other that declare prefixes, and inside them many that declare one more. */
function nestedDeclarations(depth: number, each: number, leaves: number): string {
  const declarations = (level: number) =>
    Array.from({ length: each }, (_, index) => `xmlns:n${level * each + index}="u"`).join(' ');
  const opening = Array.from({ length: depth }, (_, level) => `<a ${declarations(level)}>`).join('');
  return `${opening}${'<b xmlns:n="u"/>'.repeat(leaves)}${'</a>'.repeat(depth)}`;
}
