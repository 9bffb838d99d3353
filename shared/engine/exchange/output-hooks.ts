// Hooks that change what a request makes, before it is written. They are empty unless a fault is set for the request
// (shared/engine/faults). Tokens and keys belong to the Signer.
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ResponseMode } from '#shared/model/domain/authorization-request.ts';
import type { DeviceGrant } from '#shared/model/domain/device-grant.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-tree.ts';
import { json, type Reply } from './reply.ts';
import type { SamlAnswer, SamlAnswerTools } from './saml-answer.ts';

/** The response of /authorize, errors included, before it is appended or posted to the redirect URI. */
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
  /** undefined: no redirect, the page is shown. */
  readonly address: string | undefined;
  readonly state: string | undefined;
}

/** A JSON object before it is sent. */
export type Document = Readonly<Record<string, unknown>>;

/** A document that is sent in another form than JSON. */
export interface WrittenDocument {
  readonly mediaType: string;
  readonly text: string;
}

/** The scope of the issued tokens. */
export interface GrantedScope {
  readonly scope: readonly string[];
  /** The response to a grant without that scope. */
  without(name: string): Promise<Document>;
}

type Change<Value, Changed = Value> = (value: Value) => Value | Changed | Promise<Value | Changed>;

export interface OutputHooks {
  /** Called once an authorization request is valid. Returns the error to send to its client instead of continuing. */
  readonly authorizationRefusal?: () => Promise<RequestedRefusal | undefined>;
  readonly authorizationResponse?: Change<AuthorizationResponse>;
  readonly tokenResponse?: (answer: Document, granted: GrantedScope) => Document | Promise<Document>;
  readonly logout?: Change<LogoutDestination>;
  /** The grant that a device polls for, once it is known to belong to that device. */
  readonly deviceGrant?: Change<DeviceGrant>;
  /** Whether a refresh token that would become used stays unused. `isGood` checks that it can be used. */
  readonly keepsRefreshToken?: (isGood: () => Promise<boolean>) => Promise<boolean>;
  /** A client that is about to be registered. */
  readonly registration?: Change<ClientEntry>;
  /**
   * The successful response of an endpoint other than /token: discovery, key set, userinfo, introspection, …
   * `mediaType`: the type of the form it is sent in; left out: JSON.
   */
  readonly document?: (
    document: Document,
    mediaType?: string,
  ) => Document | WrittenDocument | Promise<Document | WrittenDocument>;
  /** A SAML response, correct and signed. */
  readonly samlAnswer?: (answer: SamlAnswer, answerTools: SamlAnswerTools) => SamlAnswer | Promise<SamlAnswer>;
  /** The EntityDescriptor of the SAML metadata. */
  readonly samlMetadata?: Change<XmlElement>;
  /** A logout token that the request's own signer wrote. */
  readonly logoutToken?: Change<string>;
  /** A LogoutRequest to a service provider, before it is signed. */
  readonly samlLogoutRequest?: Change<XmlElement>;
}

export const noHooks: OutputHooks = Object.freeze({});

/** The value to write. */
export function hooked<Value>(value: Value, change: Change<Value> | undefined): Value | Promise<Value> {
  return change === undefined ? value : change(value);
}

/** A document as a reply. */
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

/** A document that is sent as a JWT. `sign` makes the JWT of the changed document. */
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

/** For a document that is sent in another form. */
export function written(mediaType: string, text: string): WrittenDocument {
  return { mediaType, text, [writtenMark]: true } as WrittenDocument;
}

function isWritten(document: Document | WrittenDocument): document is WrittenDocument {
  return writtenMark in document;
}
