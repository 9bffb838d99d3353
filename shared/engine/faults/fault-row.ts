// What a fault of the catalogue is: one small value. REST, MCP, the page, the documentation and the enumerations of the
// configuration follow from the list of rows (catalogue/index.ts).
//
// To add a fault: one `faultRow({ … })` in the file of its family in catalogue/, with the next id of the section FLS (the
// table of FLT-37 is closed, see decision 7), and a test that cites the id (test/architecture/fault-catalogue.test.ts fails
// without one). `make` receives the parameters, checked and with defaults, and returns the change at one of the hook points
// below:
//
//     faultRow({
//       id: 'FLT-K085',
//       name: 'access_token_missing',
//       effect: 'The answer has no access_token.',
//       at: ['token'],
//       phase: 'after',
//       client: 'reject',
//       source: 'RFC 6749 §5.1',
//       make: () => ({ hookPoint: 'token_response', change: withoutMember('access_token') }),
//     }),
//
// A change is a pure function of a value and of the site: it answers the value as it is to be, or undefined when the value
// lacks the part that the fault is about; then the fault does not fire and does not count (FLT-17). Nothing is changed in
// place. What must be right afterwards (the signature of a changed token, `at_hash` of a changed access token) is made right
// behind it, and not by the row (FLT-20).
//
// Who decides which fault fires is request-faults.ts; a hook point is one line there and one in `FaultTransform`.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import { lazy } from '#shared/base/lazy.ts';
import type { Randomness } from '#shared/base/random.ts';
import type {
  AuthorizationResponse,
  Document,
  LogoutDestination,
  WrittenDocument,
} from '#shared/engine/exchange/output-hooks.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { SamlAnswer, SamlAnswerTools } from '#shared/engine/exchange/saml-answer.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { DeviceInterference } from '#shared/model/domain/device-grant.ts';
import type { FaultEndpoint } from '#shared/model/domain/fault.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-tree.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';

/** What a correct client does (column Client of FLT-K): R, A, T, E. */
export const correctClients = ['reject', 'accept', 'recover', 'either'] as const;
export type CorrectClient = (typeof correctClients)[number];

/**
 * `before`: in place of the endpoint, which has done nothing then. `after`: to what the endpoint made, and only when that
 * has the part in question.
 */
type FaultPhase = 'before' | 'after';

/** What a change may know of where it happens. */
export interface FaultSite {
  readonly endpoint: FaultEndpoint;
  /** The effective issuer of the request, without trailing slash. */
  readonly issuer: string;
  /** Where the material of this fault lies (FLT-23); it is served, and each fetch counted. */
  readonly materialUrl: string;
  /** Of the namespace's clock. */
  readonly now: Instant;
  readonly random: Randomness;
  readonly facts: RequestFacts;
  /** For rows that need more than the answer; whatever they change there is part of their effect. */
  readonly store: RuntimeStore;
  /** Of the declared users. */
  readonly usernames: readonly string[];
  hasUser(username: string): Promise<boolean>;
  /** When the last token is over that a grant may have brought so far. */
  readonly tokensEndAt: Instant;
  /** The active key of the namespace. */
  readonly activeKey: SigningKey;
  /** A key outside the key set; only for rows with `usesUnknownKey`. */
  readonly unknownKey: UnknownKey | undefined;
}

/** RSA, 2048 bits, drawn for the fault; its `kid` is its thumbprint. */
export interface UnknownKey extends SigningKey {}

/** What a request says, or is about (FLT-04, FLT-05); absent where it says nothing of the kind. */
export interface RequestFacts {
  readonly client_id?: string | undefined;
  /** Of a confidential client. */
  readonly client_secret?: string | undefined;
  readonly sp?: string | undefined;
  /** Who logs in, or whom the presented code, device code or token is about. */
  readonly username?: string | undefined;
  readonly grant_type?: string | undefined;
  /** Requested or bound. */
  readonly scope?: readonly string[] | undefined;
  /** As it was sent; what it says of itself is not known to be true. */
  readonly refresh_token?: string | undefined;
  /** An access token that is alive stands where the endpoint takes one. */
  readonly presentsLiveToken?: boolean | undefined;
  /** By which the header shows an access token. */
  readonly scheme?: 'bearer' | 'dpop' | undefined;
}

/** A token on its way out. */
export interface DraftToken {
  readonly use: 'id' | 'access' | 'refresh';
  readonly header: Document;
  readonly claims: Document;
}

/** A token as it is to be: it is signed by the active key unless `signature` says otherwise. */
export interface AlteredToken {
  readonly header: Document;
  readonly claims: Document;
  /** In place of JSON.stringify(claims): for a payload that no object can be. */
  readonly payloadText?: string;
  /** Of the signing input; an empty buffer: none. */
  readonly signature?: (input: Buffer) => Buffer | Promise<Buffer>;
  /** The last word: the token as text, made of what was signed. */
  readonly written?: (compact: string) => string;
}

type Change<Value> = (value: Value, site: FaultSite) => Value | undefined;

export interface RefusalForm {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a fault does, by the place where it does it. */
export type FaultTransform =
  /** before: this is the answer. `Reply.delivery` says how it goes over the wire. */
  | { readonly hookPoint: 'answer'; readonly instead: (site: FaultSite) => Reply }
  /** before: the endpoint's own form of this OAuth error; /authorize sends it to the client. */
  | {
      readonly hookPoint: 'refusal';
      readonly error: string;
      readonly description: string;
      /** Left out: 400 without further headers. */
      readonly form?: (site: FaultSite) => RefusalForm;
      /** Left out: any request. */
      readonly meets?: (facts: RequestFacts) => boolean;
    }
  /** after: any answer, refusals included, as the last thing before it is sent. */
  | { readonly hookPoint: 'sending'; readonly change: Change<Reply> }
  | {
      readonly hookPoint: 'token';
      /** Asked for each token of the answer that is of this use. */
      readonly use: DraftToken['use'];
      readonly change: (token: DraftToken, site: FaultSite) => AlteredToken | undefined;
    }
  /** A scope that is not granted: the answer is made anew without it. `left`: which of those that were. */
  | { readonly hookPoint: 'granted_scope'; readonly left: (scope: readonly string[]) => string | undefined }
  /** The JSON of a successful token answer; its tokens are texts here. */
  | {
      readonly hookPoint: 'token_response';
      readonly change: Change<Document>;
      /** In place of the answer, once the fault was let through. */
      readonly refuse?: (site: FaultSite) => Promise<Error>;
    }
  /** A refresh token that stays unspent; `change` as above. */
  | { readonly hookPoint: 'refresh_token_kept'; readonly change: Change<Document> }
  /** The key is rotated, and the tokens of the answer signed by the new one. */
  | { readonly hookPoint: 'key_rotation' }
  /** The live grant that a device polls for. */
  | { readonly hookPoint: 'device_grant'; readonly how: DeviceInterference }
  | { readonly hookPoint: 'registration'; readonly change: Change<ClientEntry> }
  | {
      readonly hookPoint: 'authorization_response';
      readonly change: (
        response: AuthorizationResponse,
        site: FaultSite,
      ) => AuthorizationResponse | undefined | Promise<AuthorizationResponse | undefined>;
    }
  /**
   * What discovery, key set, userinfo, introspection, device authorization, registration or /par answers, errors excluded; `mediaType`:
   * of what is made of it.
   */
  | {
      readonly hookPoint: 'document';
      readonly change: (
        document: Document,
        site: FaultSite & { readonly mediaType: string },
      ) => Document | WrittenDocument | undefined | Promise<Document | WrittenDocument | undefined>;
    }
  /** A logout that sends the browser back to its application. */
  | { readonly hookPoint: 'logout'; readonly change: Change<LogoutDestination> }
  /** A SAML answer, right and signed: whoever changes what is signed signs again with the tools of the answer. */
  | {
      readonly hookPoint: 'saml';
      readonly change: (
        answer: SamlAnswer,
        site: FaultSite & { readonly answerTools: SamlAnswerTools },
      ) => SamlAnswer | undefined | Promise<SamlAnswer | undefined>;
    }
  | { readonly hookPoint: 'saml_metadata'; readonly change: Change<XmlElement> }
  /** The first logout token that a request makes go out. */
  | {
      readonly hookPoint: 'logout_token';
      readonly change: (token: DraftToken, site: FaultSite) => AlteredToken | undefined;
    }
  /** A LogoutRequest that /saml/slo sends, before it is signed. */
  | { readonly hookPoint: 'saml_logout_request'; readonly change: Change<XmlElement> };

interface Described {
  /** Of the contract: `FLT-K037`; `FLS-04` of those beyond its table. */
  readonly id: string;
  readonly name: string;
  /** What differs, as a sentence. */
  readonly effect: string;
  readonly at: readonly FaultEndpoint[];
  readonly phase: FaultPhase;
  /** Although the endpoint has done something, or would have: what is answered is a refusal, for this fault alone. */
  readonly refuses?: true;
  readonly client: CorrectClient;
  /** Where that stands: `RFC 6749 §5.1`; `(A)` for what is our own. */
  readonly source: string;
  /** It keeps the client waiting: bounded by FLT-25. */
  readonly holdsAnswer?: true;
  /** A key is drawn for each such fault as it is made. */
  readonly usesUnknownKey?: true;
  /** It cannot be set where the key cannot be rotated (KEY-21). */
  readonly rotatesKey?: true;
  /** What lies at the `materialUrl` of such a fault (FLT-23). */
  readonly material?: (key: UnknownKey | undefined) => { readonly mediaType: string; readonly text: string };
}

/** A row as everybody reads it. */
export interface FaultRow extends Described {
  /** Strict: a parameter that is not there is refused. Every parameter has a description and, with few exceptions, a default. */
  readonly parameters: z.ZodObject;
  /** What a fault with these parameters does. @throws ZodError when they are not of the model */
  transform(parameters: Readonly<Record<string, unknown>>): FaultTransform;
}

/** A row; the parameters that `make` gets are those of the model it declares. */
export function faultRow<Shape extends z.core.$ZodLooseShape = Record<never, never>>(
  row: Described & {
    readonly parameters?: Shape;
    readonly make: (parameters: z.output<z.ZodObject<Shape, z.core.$strict>>) => FaultTransform;
  },
): FaultRow {
  const { parameters: shape, make, ...described } = row;
  const parameters = lazy(() => z.strictObject(shape ?? ({} as Shape)));
  return {
    ...described,
    get parameters() {
      return parameters();
    },
    transform: (given) => make(parameters().parse(given)),
  };
}
