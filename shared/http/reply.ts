// An answer as a value. Protocol code returns replies; only send-reply.ts touches a socket.
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array;
  /** Nobody may keep it: it carries tokens, credentials or what is true only now (HDR-01, RFC 6749 §5.1). */
  readonly noStore?: boolean;
  /** The very same object is answered again and again: what is worked out for it may be kept. */
  readonly sentOften?: true;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

export function json(status: number, body: unknown, headers: Headers = {}): Reply {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export function html(status: number, body: string, headers: Headers = {}): Reply {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body };
}

export function redirect(location: string, headers: Headers = {}): Reply {
  return { status: 302, headers: { Location: location, ...headers }, body: '' };
}

export function empty(status: number, headers: Headers = {}): Reply {
  return { status, headers, body: '' };
}

/** The same reply, which nobody may keep; it is said here and by `Route.noStore`, and written by sendReply. */
export function notStored(reply: Reply): Reply {
  return { ...reply, noStore: true };
}

/** The same reply with further headers; Set-Cookie values add up instead of replacing each other. */
export function withHeaders(reply: Reply, headers: Headers): Reply {
  const merged: Record<string, string | readonly string[]> = { ...reply.headers };
  for (const [name, value] of Object.entries(headers)) {
    const present = merged[name];
    merged[name] = name === 'Set-Cookie' && present !== undefined ? [present, value].flat() : value;
  }
  return { ...reply, headers: merged };
}
