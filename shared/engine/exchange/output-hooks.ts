// What a request makes is a value until the one place where it is written. Here is what may be done to these values on the
// way: nothing, but for a request that was asked to go wrong (shared/engine/faults). Tokens and keys are the Signer's.
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ResponseMode } from '#shared/model/domain/authorization-request.ts';
import type { DeviceGrant } from '#shared/model/domain/device-grant.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-tree.ts';
import { json, type Reply } from './reply.ts';
import type { SamlAnswer, SamlAnswerTools } from './saml-answer.ts';

/** The answer of /authorize, errors included, as it will be appended to or posted to the redirect URI. */
export interface AuthorizationResponse {
  readonly redirectUri: string;
  readonly mode: ResponseMode;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

interface RequestedRefusal {
  readonly error: string;
  readonly description: string;
}

/** Where a logout sends the browser. */
export interface LogoutDestination {
  /** undefined: nowhere, the page is shown. */
  readonly address: string | undefined;
  readonly state: string | undefined;
}

/** A JSON object on its way out. */
export type Document = Readonly<Record<string, unknown>>;

/** A document that goes out in another form than JSON. */
export interface WrittenDocument {
  readonly mediaType: string;
  readonly text: string;
}

/** What the tokens of an answer are for. */
export interface GrantedScope {
  readonly scope: readonly string[];
  /** The answer to a grant without that one. */
  without(name: string): Promise<Document>;
}

type Change<Value, Changed = Value> = (value: Value) => Value | Changed | Promise<Value | Changed>;

export interface OutputHooks {
  /** Asked once an authorization request is known to be valid: the error to send to its client instead of going on. */
  readonly authorizationRefusal?: () => Promise<RequestedRefusal | undefined>;
  readonly authorizationResponse?: Change<AuthorizationResponse>;
  readonly tokenResponse?: (answer: Document, granted: GrantedScope) => Document | Promise<Document>;
  readonly logout?: Change<LogoutDestination>;
  /** The grant that a device polls for, once it is known to be its own. */
  readonly deviceGrant?: Change<DeviceGrant>;
  /**
   * Whether a use of a refresh token leaves it unspent where it would be spent; `isGood` looks whether it can be used.
   */
  readonly keepsRefreshToken?: (isGood: () => Promise<boolean>) => Promise<boolean>;
  /** A client that is about to be registered. */
  readonly registration?: Change<ClientEntry>;
  /**
   * The successful answer of an endpoint other than /token: discovery, key set, userinfo, introspection, … `mediaType`: of what
   * is made of it; left out: JSON.
   */
  readonly document?: (
    document: Document,
    mediaType?: string,
  ) => Document | WrittenDocument | Promise<Document | WrittenDocument>;
  /** A SAML answer, right and signed. */
  readonly samlAnswer?: (answer: SamlAnswer, answerTools: SamlAnswerTools) => SamlAnswer | Promise<SamlAnswer>;
  /** The EntityDescriptor of the SAML metadata. */
  readonly samlMetadata?: Change<XmlElement>;
  /** A logout token that the request's own signer wrote. */
  readonly logoutToken?: Change<string>;
  /** A LogoutRequest to a service provider, before it is signed. */
  readonly samlLogoutRequest?: Change<XmlElement>;
}

export const noHooks: OutputHooks = Object.freeze({});

/** The value as it is to be written. */
export function hooked<Value>(value: Value, change: Change<Value> | undefined): Value | Promise<Value> {
  return change === undefined ? value : change(value);
}

/** A document as an answer. */
export async function documentReply(
  status: number,
  document: Document,
  { document: change }: OutputHooks,
): Promise<Reply> {
  if (change === undefined) return json(status, document);
  const changed = await change(document);
  return isWritten(changed)
    ? { status, headers: { 'Content-Type': changed.mediaType }, body: changed.text }
    : json(status, changed);
}

const jwt = 'application/jwt';

/** A document that goes out as a JWT, made by `sign` of what it has become. */
export async function signedDocumentReply(
  document: Document,
  sign: (document: Document) => Promise<string>,
  { document: change }: OutputHooks,
): Promise<Reply> {
  const changed = change === undefined ? document : await change(document, jwt);
  if (isWritten(changed)) return { status: 200, headers: { 'Content-Type': changed.mediaType }, body: changed.text };
  return { status: 200, headers: { 'Content-Type': jwt }, body: await sign(changed) };
}

const writtenMark: unique symbol = Symbol('written');

/** For a document that is to go out in another form. */
export function written(mediaType: string, text: string): WrittenDocument {
  return { mediaType, text, [writtenMark]: true } as WrittenDocument;
}

function isWritten(document: Document | WrittenDocument): document is WrittenDocument {
  return writtenMark in document;
}
