// Which strength of login a request requires, and whether a login satisfies it (SPM-18 to SPM-20; SAML core
// §3.3.2.2.1). Pure.
import { authenticationMethods } from '#shared/model/configuration/settings/login.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { AuthenticationMethod } from '#shared/model/domain/authorization-request.ts';
import { assertionNamespace, protocolNamespace } from '#shared/protocol/saml/vocabulary.ts';
import {
  attributeValue,
  childElements,
  firstChild,
  isNamed,
  textOf,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';

const comparisons = ['exact', 'minimum', 'maximum', 'better'] as const;
type Comparison = (typeof comparisons)[number];

export interface RequestedAuthnContext {
  /** undefined: unknown to SAML. */
  readonly comparison: Comparison | undefined;
  /** In order of preference. */
  readonly classes: readonly string[];
  /** The request uses declarations instead. None is known here. */
  readonly byDeclaration: boolean;
}

const classPrefix = 'urn:oasis:names:tc:SAML:2.0:ac:classes:';
const unspecifiedClass = `${classPrefix}unspecified`;

/** The class in an assertion when the request named none (SAM-51). */
export const contextClasses: Readonly<Record<AuthenticationMethod, string>> = {
  persona: unspecifiedClass,
  password: `${classPrefix}PasswordProtectedTransport`,
  'password+totp': `${classPrefix}TimeSyncToken`,
};

/** undefined: the request names none. */
export function readRequestedAuthnContext(root: XmlElement): RequestedAuthnContext | undefined {
  const requested = firstChild(root, protocolNamespace, 'RequestedAuthnContext');
  if (requested === undefined) return undefined;
  const children = childElements(requested);
  const written = attributeValue(requested, 'Comparison')?.trim() || 'exact';
  return {
    comparison: comparisons.find((each) => each === written),
    classes: children
      .filter((each) => isNamed(each, assertionNamespace, 'AuthnContextClassRef'))
      .map((each) => textOf(each).trim()),
    byDeclaration: children.some((each) => isNamed(each, assertionNamespace, 'AuthnContextDeclRef')),
  };
}

type LoginSettings = Pick<Settings, 'login'>;

/** The class that the assertion names for a login by this method. undefined: the login does not satisfy the request. */
export function satisfiedClass(
  { comparison, classes, byDeclaration }: RequestedAuthnContext,
  method: AuthenticationMethod,
  settings: LoginSettings,
): string | undefined {
  if (byDeclaration) return undefined;
  const strength = strengthOf(method);
  const known = classes.flatMap((name) => {
    const requestedMethod = methodOf(name, settings);
    return requestedMethod === undefined ? [] : [{ name, wanted: strengthOf(requestedMethod) }];
  });
  // Every login also has the class `unspecified`, at any strength.
  const unspecified = known.find(({ name }) => name === unspecifiedClass)?.name;
  const first = (isSatisfied: (wanted: number) => boolean) => known.find(({ wanted }) => isSatisfied(wanted))?.name;
  const own = contextClasses[method];
  switch (comparison) {
    case 'exact':
      return known.find(({ name, wanted }) => wanted === strength || name === unspecifiedClass)?.name;
    case 'minimum':
      return first((wanted) => strength >= wanted);
    case 'maximum':
      return known.some(({ wanted }) => strength <= wanted)
        ? (first((wanted) => strength === wanted) ?? own)
        : unspecified;
    case 'better':
      return known.length > 0 && known.every(({ wanted }) => strength > wanted) ? own : undefined;
    default:
      return undefined;
  }
}

function strengthOf(method: AuthenticationMethod): number {
  return authenticationMethods.indexOf(method);
}

function methodOf(name: string, { login }: LoginSettings): AuthenticationMethod | undefined {
  if (name === `${classPrefix}Password`) return 'password';
  return (
    authenticationMethods.find((method) => contextClasses[method] === name) ??
    login.acr.find(({ value }) => value === name)?.method
  );
}
