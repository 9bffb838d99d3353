// Whoever goes through a login of the application: by HTTP alone, or as a browser with script. Both answer what the last page
// is, and know nothing of faults or of what counts as logged in.

export interface Person {
  readonly username: string;
  readonly password: string;
}

export interface LastPage {
  readonly url: URL;
  readonly status: number;
  /** As somebody reads it: without markup and scripts. */
  readonly text: string;
  /** Of the cookies that would be sent to this page. */
  readonly cookieNames: readonly string[];
  readonly hasScript: boolean;
}

/** The application's, the identity provider's. */
export type Host = 'client' | 'instance';

export type Arrival =
  | { readonly end: 'page'; readonly at: Host; readonly page: LastPage }
  /** The connection ended without a whole answer, or there was none within the time; `cause`: the code of the system. */
  | { readonly end: 'closed' | 'late'; readonly at: Host; readonly url: URL; readonly cause?: string }
  /** It went on and on, or a page of the identity provider asked for what nobody here can give. */
  | { readonly end: 'stuck'; readonly url: URL; readonly reason: string };

/** One browser, beginning without cookies. */
export interface Visit {
  /** Logs in wherever the identity provider asks for that. @throws DOMException of the signal */
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
  readonly person: Person;
  readonly timeoutMilliseconds: number;
  readonly insecure: boolean;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
}

export const redirectsMax = 30;
/** More pages than any login has. */
export const pagesMax = 20;
/** More steps than a login at the identity provider has: who is asked again and again is not let in. */
export const loginStepsMax = 6;
