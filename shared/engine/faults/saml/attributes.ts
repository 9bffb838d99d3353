// Faults of the attributes of a login.
import { replacing, withChildren } from '#shared/protocol/saml/edit-tree.ts';
import { assertionNamespace, saml2 } from '#shared/protocol/saml/vocabulary.ts';
import {
  attributeValue,
  childElements,
  firstChild,
  textOf,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import { type Edit, rebuilding, type SamlChange } from './saml-change.ts';

const statement = [assertionNamespace, 'AttributeStatement'] as const;

export const attributesMissing = rebuilding({
  assertion: (assertion) => replacing(assertion, statement, () => undefined),
});

/** Replaces the attributes of that name. An Assertion without any lacks the part. */
function attribute(name: string, change: (attribute: XmlElement) => readonly XmlElement[]): SamlChange {
  const edit: Edit = (assertion) => {
    let found = false;
    const changed = replacing(assertion, statement, (list) => {
      const attributes = childElements(list).flatMap((each) => {
        if (attributeValue(each, 'Name') !== name) return [each];
        found = true;
        return change(each);
      });
      // An empty statement is invalid.
      return attributes.length === 0 ? undefined : withChildren(list, attributes);
    });
    return found ? changed : undefined;
  };
  return rebuilding({ assertion: edit });
}

const withValues = (found: XmlElement, values: readonly XmlElement[]) => [withChildren(found, values)];
const valueElement = (text: string) => saml2('AttributeValue', {}, text === '' ? [] : [text]);
const firstValueOf = (found: XmlElement) => {
  const first = firstChild(found, assertionNamespace, 'AttributeValue');
  return first === undefined ? '' : textOf(first);
};

export const attributeMissing = (name: string): SamlChange => attribute(name, () => []);
export const attributeEmpty = (name: string): SamlChange =>
  attribute(name, (found) => withValues(found, [valueElement('')]));

/** The correct value first, then invented ones. */
export const attributeMany = (name: string, count: number): SamlChange =>
  attribute(name, (found) => {
    const right = firstValueOf(found);
    const values = Array.from({ length: count }, (_, index) => (index === 0 ? right : `${index + 1}-${right}`));
    return withValues(found, values.map(valueElement));
  });

/** The value is a NameID, as in eduPersonTargetedID. */
export const attributeNested = (name: string): SamlChange =>
  attribute(name, (found) =>
    withValues(found, [saml2('AttributeValue', {}, [saml2('NameID', {}, [firstValueOf(found)])])]),
  );

export const attributeDuplicated = (name: string): SamlChange =>
  attribute(name, (found) => [found, ...withValues(found, [valueElement(`other-${firstValueOf(found)}`)])]);
