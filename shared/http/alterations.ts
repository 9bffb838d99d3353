// What a request makes is a value until the one place where it is written. Here is what may be done to these values on the
// way: nothing, but for a request that was asked to go wrong. Tokens and signatures are the Signer's.
import type { ResponseMode } from '#shared/domain/authorization-request.ts';
import type { PublicJwk } from '#shared/keys/key-ring.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-tree.ts';
import type { SamlAnswer, SamlWorkbench } from './saml-answer.ts';

/** The answer of /authorize, errors included, as it will be appended to or posted to the redirect URI. */
export interface AuthorizationResponse {
  readonly redirectUri: string;
  readonly mode: ResponseMode;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

type Document = Readonly<Record<string, unknown>>;
type Change<Value> = (value: Value) => Value | Promise<Value>;

export interface Alterations {
  readonly authorizationResponse?: Change<AuthorizationResponse>;
  readonly tokenResponse?: Change<Document>;
  readonly discovery?: Change<Document>;
  readonly keySet?: Change<readonly PublicJwk[]>;
  /** A SAML answer, right and signed. */
  readonly samlAnswer?: (answer: SamlAnswer, workbench: SamlWorkbench) => SamlAnswer | Promise<SamlAnswer>;
  /** The EntityDescriptor of the SAML metadata. */
  readonly samlMetadata?: Change<XmlElement>;
}

export const unaltered: Alterations = Object.freeze({});

/** The value as it is to be written. */
export function altered<Value>(value: Value, change: Change<Value> | undefined): Value | Promise<Value> {
  return change === undefined ? value : change(value);
}
