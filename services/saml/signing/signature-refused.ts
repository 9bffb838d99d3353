// A request whose signature is missing, wrong or of a form that does not count (SAM-25 to SAM-27).

/** `message` says for people and for the audit's `reason` what is wrong; it repeats nothing of the request. */
export class SignatureRefusedError extends Error {}
