// A fault of the catalogue is one small value. REST, MCP, the page, the documentation and the enumerations of the
// configuration are derived from the list of rows (catalogue/index.ts).
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
// A change is a pure function of a value and of the site. It returns the changed value, or undefined when the value
// lacks the part that the fault changes. Then the fault does not fire and does not count (FLT-17). It never modifies
// the given value. The row does not repair what must stay correct afterwards (the signature of a changed token,
// `at_hash` of a changed access token): later code does (FLT-20).
//
// request-faults.ts decides which fault fires. A hook point is one line there and one in `FaultTransform`.
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
 * `before`: replaces the endpoint, which then does nothing. `after`: changes the endpoint's output, only if the output
 * has the part in question.
 */
type FaultPhase = 'before' | 'after';

/** What a change may read about its context. */
export interface FaultSite {
  readonly endpoint: FaultEndpoint;
  /** The effective issuer of the request. */
  readonly issuer: string;
  /** Published addresses begin with it. It has no trailing slash. */
  readonly baseUrl: string;
  /** The address of this fault's material (FLT-23); it is served, and each fetch counted. */
  readonly materialUrl: string;
  /** The time of the namespace's clock. */
  readonly now: Instant;
  readonly random: Randomness;
  readonly facts: RequestFacts;
  /** For rows that need more than the response. All changes that they make there are part of their effect. */
  readonly store: RuntimeStore;
  /** The names of the declared users. */
  readonly usernames: readonly string[];
  hasUser(username: string): Promise<boolean>;
  /** When the last token expires that a grant may have issued so far. */
  readonly tokensEndAt: Instant;
  /** The active key of the namespace. */
  readonly activeKey: SigningKey;
  /** A key outside the key set; only for rows with `usesUnknownKey`. */
  readonly unknownKey: UnknownKey | undefined;
}

/** RSA, 2048 bits, generated for the fault; its `kid` is its thumbprint. */
export interface UnknownKey extends SigningKey {}

/** What a request contains or refers to (FLT-04, FLT-05); absent where the request has no such fact. */
export interface RequestFacts {
  readonly client_id?: string | undefined;
  /** The secret of a confidential client. */
  readonly client_secret?: string | undefined;
  readonly sp?: string | undefined;
  /** Who logs in, or the user of the presented code, device code or token. */
  readonly username?: string | undefined;
  readonly grant_type?: string | undefined;
  /** Requested or bound. */
  readonly scope?: readonly string[] | undefined;
  /** As it was sent; its claims are not verified. */
  readonly refresh_token?: string | undefined;
  /** The endpoint takes an access token, and the request presents one that has not expired. */
  readonly presentsLiveToken?: boolean | undefined;
  /** The header's scheme for an access token. */
  readonly scheme?: 'bearer' | 'dpop' | undefined;
}

/** A token before it is sent. */
export interface DraftToken {
  readonly use: 'id' | 'access' | 'refresh';
  readonly header: Document;
  readonly claims: Document;
}

/** A changed token. The active key signs it unless `signature` is given. */
export interface AlteredToken {
  readonly header: Document;
  readonly claims: Document;
  /** Replaces JSON.stringify(claims): for a payload that no object can represent. */
  readonly payloadText?: string;
  /** The signature over the signing input; an empty buffer: none. */
  readonly signature?: (input: Buffer) => Buffer | Promise<Buffer>;
  /** The final change: the token's text, made from the signed token. */
  readonly written?: (compact: string) => string;
}

type Change<Value> = (value: Value, site: FaultSite) => Value | undefined;

export interface RefusalForm {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The effect of a fault, by its hook point. */
export type FaultTransform =
  /** before: this is the response. `Reply.delivery` defines how it is sent. */
  | { readonly hookPoint: 'answer'; readonly instead: (site: FaultSite) => Reply }
  /** before: this OAuth error in the endpoint's own form; /authorize sends it to the client. */
  | {
      readonly hookPoint: 'refusal';
      readonly error: string;
      readonly description: string;
      /** Left out: 400 without further headers. */
      readonly form?: (site: FaultSite) => RefusalForm;
      /** Left out: every request. */
      readonly meets?: (facts: RequestFacts) => boolean;
    }
  /** after: any response, rejections included, as the last step before it is sent. */
  | { readonly hookPoint: 'sending'; readonly change: Change<Reply> }
  | {
      readonly hookPoint: 'token';
      /** The change runs for each token of the response that has this use. */
      readonly use: DraftToken['use'];
      readonly change: (token: DraftToken, site: FaultSite) => AlteredToken | undefined;
    }
  /**
   * A scope that is not granted: the response is made again without it. `left`: which of the granted scopes to omit.
   */
  | { readonly hookPoint: 'granted_scope'; readonly left: (scope: readonly string[]) => string | undefined }
  /** The JSON of a successful token response; its tokens are strings here. */
  | {
      readonly hookPoint: 'token_response';
      readonly change: Change<Document>;
      /** Replaces the response, once the fault was claimed. */
      readonly refuse?: (site: FaultSite) => Promise<Error>;
    }
  /** A refresh token that stays unused; `change` as above. */
  | { readonly hookPoint: 'refresh_token_kept'; readonly change: Change<Document> }
  /** The key is rotated, and the new key signs the tokens of the response. */
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
   * The response of discovery, key set, userinfo, introspection, device authorization, registration or /par, errors
   * excluded. `mediaType`: the type of the form that it is sent in.
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
  /** A SAML response, correct and signed. A change of signed content signs it again with the tools of the response. */
  | {
      readonly hookPoint: 'saml';
      readonly change: (
        answer: SamlAnswer,
        site: FaultSite & { readonly answerTools: SamlAnswerTools },
      ) => SamlAnswer | undefined | Promise<SamlAnswer | undefined>;
    }
  | { readonly hookPoint: 'saml_metadata'; readonly change: Change<XmlElement> }
  /** The first logout token that a request sends. */
  | {
      readonly hookPoint: 'logout_token';
      readonly change: (token: DraftToken, site: FaultSite) => AlteredToken | undefined;
    }
  /** A LogoutRequest that /saml/slo sends, before it is signed. */
  | { readonly hookPoint: 'saml_logout_request'; readonly change: Change<XmlElement> };

interface Described {
  /** The clause of the contract: `FLT-K037`; `FLS-04` for rows beyond its table. */
  readonly id: string;
  readonly name: string;
  /** What the fault changes, as a sentence. */
  readonly effect: string;
  readonly at: readonly FaultEndpoint[];
  readonly phase: FaultPhase;
  /** The response is a rejection, for this fault alone, although the endpoint has acted or would have acted. */
  readonly refuses?: true;
  readonly client: CorrectClient;
  /** The source of the rule: `RFC 6749 §5.1`; `(A)` for our own. */
  readonly source: string;
  /** It delays the response: bounded by FLT-25. */
  readonly holdsAnswer?: true;
  /** A key is generated for each such fault when it is created. */
  readonly usesUnknownKey?: true;
  /** It cannot be set where the key cannot be rotated (KEY-21). */
  readonly rotatesKey?: true;
  /** The content at the `materialUrl` of such a fault (FLT-23). */
  readonly material?: (key: UnknownKey | undefined) => { readonly mediaType: string; readonly text: string };
}

/** A row as all readers see it. */
export interface FaultRow extends Described {
  /**
   * Strict: an unknown parameter is rejected. Every parameter has a description and, with few exceptions, a default.
   */
  readonly parameters: z.ZodObject;
  /** The effect of a fault with these parameters. @throws ZodError when they do not match the model */
  transform(parameters: Readonly<Record<string, unknown>>): FaultTransform;
}

/** Builds a row; `make` gets the parameters of the model that the row declares. */
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
