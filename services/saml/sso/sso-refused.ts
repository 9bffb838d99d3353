// A request to /saml/sso that is refused with a page, since there is nobody to send an answer to or no reason to believe
// who asks (SAM-15, SAM-18, SAM-19, SAM-21, SAM-30).

/** Answered 400 with `message` on a page, and recorded as a failed `saml_request` with `reason`. */
export class SsoRefusedError extends Error {
  readonly reason: string;
  constructor(message: string, reason: string = message) {
    super(message);
    this.reason = reason;
  }
}
