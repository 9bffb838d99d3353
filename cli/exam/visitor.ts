// Goes through a login of the application, with HTTP only or as a browser with script. Both return the last page. They
// know nothing of faults or of the logged-in criterion.

export interface ExamUser {
  readonly username: string;
  readonly password: string;
}

export interface LastPage {
  readonly url: URL;
  readonly status: number;
  /** The text that a person reads: without markup and scripts. */
  readonly text: string;
  /** The names of the cookies that would be sent to this page. */
  readonly cookieNames: readonly string[];
  readonly hasScript: boolean;
}

/** The host of the application or of the identity provider. */
export type Host = 'client' | 'instance';

export type Arrival =
  | { readonly end: 'page'; readonly at: Host; readonly page: LastPage }
  /** The connection ended without a complete response, or none arrived in time. `cause`: the system's error code. */
  | { readonly end: 'closed' | 'late'; readonly at: Host; readonly url: URL; readonly cause?: string }
  /** The login did not end, or a page of the identity provider required something that the exam cannot provide. */
  | { readonly end: 'stuck'; readonly url: URL; readonly reason: string };

/** One browser that starts without cookies. */
export interface Visit {
  /** Logs in wherever the identity provider requires it. @throws DOMException of the signal */
  go(url: URL): Promise<Arrival>;
  close(): Promise<void>;
}

export interface Visitor {
  begin(): Promise<Visit>;
  close(): Promise<void>;
}

export interface VisitorOptions {
  /** Origins of the identity provider. */
  readonly instance: ReadonlySet<string>;
  readonly person: ExamUser;
  readonly timeoutMilliseconds: number;
  readonly insecure: boolean;
  /** Aborts everything that is running. */
  readonly signal: AbortSignal;
}

export const redirectsMax = 30;
/** More pages than any login has. */
export const pagesMax = 20;
/** More steps than a login at the identity provider has. Repeated login pages mean that the login failed. */
export const loginStepsMax = 6;
