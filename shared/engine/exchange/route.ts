// How a module offers its endpoints: a list of routes, mounted by the app of its process. One entry a path, so that the
// other methods of a known path are answered 405 with `Allow` (HDR-20).
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

/** How an answer is held until it is sent: some pieces of it, or all. */
export type LargeRead = 'streamed' | 'whole';

export interface Route {
  /** An exact path, or one with parameters such as `/api/users/:username`, as Express matches it. */
  readonly path: string;
  /** Whom it is for, and what follows from that (audience.ts). */
  readonly audience: Audience;
  /** What is different from its audience. */
  readonly overrides?: Partial<Omit<AudienceRules, 'inSandbox'>>;
  /**
   * HEAD is answered by GET, unless `getHasEffects`; OPTIONS by the CORS rules. Without any method the path answers 404
   * like an unknown one, and says on which surface the unknown paths below it lie (HDR-19).
   */
  readonly methods: Readonly<Partial<Record<HttpMethod, Endpoint>>>;
  /** What each method takes and answers, for programs: demanded under /api, /register and /health (operation.ts). */
  readonly operations?: Readonly<Partial<Record<HttpMethod, Operation>>>;
  /**
   * Its GET remembers, issues or ends something (WEB-25). HEAD must have no effect (RFC 9110 §9.2.1) and cannot answer
   * what GET would without it, so it is 405 here.
   */
  readonly getHasEffects?: true;
  /** Whatever the endpoints of these methods build, errors included, may not be stored (HDR-01). */
  readonly noStore?: true | readonly HttpMethod[];
  /** Its GET answers without a small bound, in pieces or as a whole: only some are under way at a time (large-reads.ts). */
  readonly largeRead?: LargeRead;
  /** Counted against the /token rate in this bucket while rate limiting is in force (HDR-14, HDR-15). */
  readonly rateBucket?: string;
  /** Where faults can be set (FLT-03); without it the path is never faulty (FLT-24). */
  readonly faultyAs?: FaultEndpoint;
  /** What its exchanges are called by the recorder, where that is not `faultyAs` (REC-01). */
  readonly recordedAs?: RecordedEndpoint;
  /** While this says no the path answers 404 to every method, as if it were not there (DCR-01). */
  readonly existsWhile?: (snapshot: ConfigurationSnapshot) => boolean;
  /** Methods that are served only while a setting is on; else they are 405 like any other, and the setting is named. */
  readonly servedWhile?: Readonly<Partial<Record<HttpMethod, ServedWhile>>>;
  /**
   * In a sandbox: not there (false), or refused with a row (SBX-20, SBX-21). Left out: as its audience has it, which is there
   * but for assets.
   */
  readonly inSandbox?: false | (ApiRefusalRow & Refusal);
  /** Stands before whatever a write is answered, also before the 405 of a method that is not served (RST-15). */
  readonly gate?: (endpoint: Endpoint) => Endpoint;
  /**
   * The endpoint answers a body above 1 MiB, in too many pieces or in a content coding itself, because the refusal is
   * audited (SAM-66).
   */
  readonly seesRefusedBody?: true;
}

interface ServedWhile {
  /** As it is written: `runtime.updates`. */
  readonly setting: string;
  readonly isOn: (snapshot: ConfigurationSnapshot) => boolean;
}

/** A refusal of the REST API, thrown: its row has status, kind and headers. */
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

/** The refusal of a row, to be thrown. */
export function apiError<Row extends ApiRefusalRow & Refusal>(row: Row, ...found: Found<Row>): ApiError {
  return new ApiError(row, refused(row, ...found));
}

/** A page that says what went wrong: for browsers. `pageError` and `pageOf` make it. */
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

/** The page that tells a person what another surface refused, to be thrown. */
export function pageOf(title: keyof typeof titlesOfPages, error: RefusedError): PageError {
  const status = error instanceof ApiError ? error.status : 400;
  return new PageError(status, titlesOfPages[title], error.message, { cause: error });
}
