// Faults of the document as text: comments, document types, entities and prefixes, which the tree of a correct response
// does not have. The signature covers what a parser reads, so that it is valid for a parser that reads everything.
import type { SamlAnswer } from '#shared/engine/exchange/saml-answer.ts';
import { mapElements, replacingAt, withText } from '#shared/protocol/saml/edit-tree.ts';
import { assertionNamespace, saml2 } from '#shared/protocol/saml/vocabulary.ts';
import { firstChild, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import {
  isSigned,
  ofLogin,
  rebuilding,
  type SamlChange,
  type SamlSite,
  unsigned,
  withAssertions,
} from './saml-change.ts';
import { withNameId } from './subject.ts';

const strangersSuffix = '.attacker.example';

/**
 * A comment inside the NameID. A service provider that reads only up to it takes another user's name. The comment is in
 * encrypted content as well.
 */
export const nameIdComment = (nameId: string): SamlChange => {
  const rename = rebuilding({ assertion: (assertion) => withNameId(assertion, nameId + strangersSuffix) });
  const written = (text: string) => text.replace(`${strangersSuffix}</`, () => `<!-- -->${strangersSuffix}</`);
  return async (answer, site) => {
    const changed = await rename(answer, site);
    const encryption = changed?.encryption && { ...changed.encryption, written };
    return changed && { ...changed, written, encryption };
  };
};

export const doctype: SamlChange = writing(
  ofLogin((_login, answer) => answer),
  () => withDoctype(''),
);

const expandedLength = 1024 * 1024;
const expanded = 'x'.repeat(expandedLength);
const repeated = (name: string, times: number) => `&${name};`.repeat(times);
/** 64 characters, then 16, 32 and 32 times as many. */
const nestedEntities = [
  ['e0', 'x'.repeat(64)],
  ['e1', repeated('e0', 16)],
  ['e2', repeated('e1', 32)],
  ['e3', repeated('e2', 32)],
] as const;

/** Entities that expand to 1 MiB in an attribute's value. */
export const entityExpansion: SamlChange = writing(firstPlainValue(expanded), () => {
  const declared = nestedEntities.map(([name, value]) => `<!ENTITY ${name} "${value}">`).join('');
  return (document) => withDoctype(` [${declared}]`)(document.replace(expanded, '&e3;'));
});

/**
 * The content of the material of `saml_external_entity` (FLT-23): the signature is valid for a parser that fetches it.
 */
export const externalEntityText = 'This text was fetched from the material of a fault.';

/** An external entity in an attribute's value. */
export const externalEntity: SamlChange = writing(firstPlainValue(externalEntityText), ({ materialUrl }) => {
  const declared = `<!ENTITY material SYSTEM "${materialUrl}">`;
  return (document) => withDoctype(` [${declared}]`)(document.replace(externalEntityText, '&material;'));
});

function withDoctype(subset: string): (document: string) => string {
  return (document) => document.replace('?>\n', () => `?>\n<!DOCTYPE saml2p:Response${subset}>\n`);
}

/**
 * Changes the first attribute value of the login. Encrypted content is parsed separately, where no document type of the
 * Response counts, so it is not changed.
 */
function firstPlainValue(text: string): SamlChange {
  const change = rebuilding({
    assertion: (assertion) => {
      let isFirst = true;
      const path = ['AttributeStatement', 'Attribute', 'AttributeValue'];
      return replacingAt(assertion, assertionNamespace, path, (value) => {
        const becomes = isFirst ? withText(value, text) : value;
        isFirst = false;
        return becomes;
      });
    },
  });
  return (answer, site) => {
    const { parts } = answer.encryption ?? {};
    return parts?.has('assertion') || parts?.has('attributes') ? undefined : change(answer, site);
  };
}

/** Applies the change, and then changes the text of the document. */
function writing(change: SamlChange, written: (site: SamlSite) => (document: string) => string): SamlChange {
  return async (answer, site) => {
    const changed = await change(answer, site);
    return changed && { ...changed, written: written(site) };
  };
}

const otherPrefixes = new Map([
  ['saml2p', 'samlp'],
  ['saml2', 'saml'],
  ['ds', 'dsig'],
]);
const otherPrefix = (prefix: string) => otherPrefixes.get(prefix) ?? prefix;

function renamed(element: XmlElement): XmlElement {
  return mapElements(element, (each) => ({
    ...each,
    prefix: otherPrefix(each.prefix),
    declarations: each.declarations.map(([prefix, uri]) => [otherPrefix(prefix), uri] as const),
  }));
}

export const prefixesChanged: SamlChange = ofLogin(async ({ response, assertion }, answer, { answerTools }) => {
  const around = renamed(unsigned(response));
  const bare = renamed(unsigned(assertion));
  const shaped = { shaped: renamed };
  const sealed = isSigned(assertion) ? await answerTools.signed(bare, { within: around }, shaped) : bare;
  const whole = withAssertions(around, [sealed]);
  return { ...answer, response: isSigned(response) ? await answerTools.signed(whole, {}, shaped) : whole };
});

/**
 * An attribute that makes the document this many octets long, or as near as the block size of the encryption permits.
 */
export const responseLarge =
  (bytes: number): SamlChange =>
  async (answer, site) => {
    const padded = (length: number) =>
      rebuilding({ assertion: (assertion) => withPadding(assertion, 'x'.repeat(length)) })(answer, site);
    const sizeOf = async (changed: SamlAnswer | undefined) => (changed ? site.answerTools.size(changed) : 0);
    const least = await sizeOf(await padded(0));
    const room = Math.max(0, bytes - least);
    const whole = await padded(room);
    // Encryption lengthens its content by a factor, which this measures.
    const grown = (await sizeOf(whole)) - least;
    return grown > room ? padded(Math.floor((room * room) / grown)) : whole;
  };

function withPadding(assertion: XmlElement, padding: string): XmlElement {
  const attribute = saml2('Attribute', { Name: 'padding' }, [saml2('AttributeValue', {}, [padding])]);
  const statement = firstChild(assertion, assertionNamespace, 'AttributeStatement');
  const children = assertion.children.filter((child) => child !== statement);
  const extended = saml2('AttributeStatement', {}, [...(statement?.children ?? []), attribute]);
  return { ...assertion, children: [...children, extended] };
}
