// How a module offers its endpoints: a list of routes, mounted by the app of its process. Each path has one entry, so
// that other methods of a known path get 405 with `Allow` (HDR-20).
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import type { FaultEndpoint } from '#shared/model/domain/fault.ts';
import type { ApiRefusalRow } from '#shared/model/refusals/api-refusal.ts';
import { type PageRefusalRow, titlesOfPages } from '#shared/model/refusals/families/pages.ts';
import { type Found, type Refusal, type Refused, RefusedError, refused } from '#shared/model/refusals/refusal.ts';
import type { Audience, AudienceRules } from './audience.ts';
import type { Operation } from './operation.ts';
import type { Endpoint } from './request.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a response is held in memory until it is sent: in pieces, or as a whole. */
export type LargeRead = 'streamed' | 'whole';

export interface Route {
  /** An exact path, or one with parameters such as `/api/users/:username`, as Express matches it. */
  readonly path: string;
  /** Its audience, with the rules of audience.ts. */
  readonly audience: Audience;
  /** Where it differs from its audience. */
  readonly overrides?: Partial<Omit<AudienceRules, 'inSandbox'>>;
  /**
   * GET handles HEAD, unless `getHasEffects`. The CORS rules handle OPTIONS. A path without any method returns 404 like
   * an unknown one, and defines the surface of the unknown paths below it (HDR-19).
   */
  readonly methods: Readonly<Partial<Record<HttpMethod, Endpoint>>>;
  /** What each method takes and returns, for programs: required under /api, /register and /health (operation.ts). */
  readonly operations?: Readonly<Partial<Record<HttpMethod, Operation>>>;
  /**
   * Its GET stores, issues or ends something (WEB-25). HEAD must have no effect (RFC 9110 §9.2.1), and cannot return
   * GET's response without that effect, so HEAD gets 405 here.
   */
  readonly getHasEffects?: true;
  /** All responses of these methods, errors included, must not be cached (HDR-01). */
  readonly noStore?: true | readonly HttpMethod[];
  /**
   * Its GET returns responses without a small bound, in pieces or as a whole. Only a few run at a time
   * (large-reads.ts).
   */
  readonly largeRead?: LargeRead;
  /** Counted against the /token rate in this bucket while rate limiting is active (HDR-14, HDR-15). */
  readonly rateBucket?: string;
  /** The endpoint name under which faults can be set (FLT-03). Without it no fault affects the path (FLT-24). */
  readonly faultyAs?: FaultEndpoint;
  /** The name of its exchanges in the recorder, where that is not `faultyAs` (REC-01). */
  readonly recordedAs?: RecordedEndpoint;
  /** While this returns false, the path returns 404 to every method, as if it did not exist (DCR-01). */
  readonly existsWhile?: (snapshot: ConfigurationSnapshot) => boolean;
  /** Methods that are served only while a setting is on. Otherwise they get 405, and the response names the setting. */
  readonly servedWhile?: Readonly<Partial<Record<HttpMethod, ServedWhile>>>;
  /**
   * In a sandbox: missing (false), or rejected with a row (SBX-20, SBX-21). Left out: its audience decides, and only
   * assets are missing.
   */
  readonly inSandbox?: false | (ApiRefusalRow & Refusal);
  /** Runs before any response to a write, also before the 405 of a method that is not served (RST-15). */
  readonly gate?: (endpoint: Endpoint) => Endpoint;
  /**
   * The endpoint itself handles a body above 1 MiB, in too many pieces or in a content coding, because that rejection
   * is audited (SAM-66).
   */
  readonly seesRefusedBody?: true;
}

interface ServedWhile {
  /** The name as written in the settings: `runtime.updates`. */
  readonly setting: string;
  readonly isOn: (snapshot: ConfigurationSnapshot) => boolean;
}

/** A rejection of the REST API, thrown: its row has status, kind and headers. */
export class ApiError extends RefusedError {
  readonly status: number;
  readonly kind: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor({ status, kind, headers = {} }: ApiRefusalRow, happened: Refused) {
    super(happened);
    this.status = status;
    this.kind = kind;
    this.headers = headers;
  }
}

/** The rejection of a row, to be thrown. */
export function apiError<Row extends ApiRefusalRow & Refusal>(row: Row, ...found: Found<Row>): ApiError {
  return new ApiError(row, refused(row, ...found));
}

/** A page that explains an error, for browsers. `pageError` and `pageOf` make it. */
export class PageError extends Error {
  readonly status: number;
  readonly title: string;
  constructor(status: number, title: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.status = status;
    this.title = title;
  }
}

/** The page of a row, to be thrown. */
export function pageError<Row extends PageRefusalRow & Refusal>(row: Row, ...found: Found<Row>): PageError {
  return new PageError(row.status, row.title, refused(row, ...found).message);
}

/** The page that shows a person the rejection of another surface, to be thrown. */
export function pageOf(title: keyof typeof titlesOfPages, error: RefusedError): PageError {
  const status = error instanceof ApiError ? error.status : 400;
  return new PageError(status, titlesOfPages[title], error.message, { cause: error });
}
