// Fetches an address that an untrusted client names: metadata documents, and keys and request objects of clients. It
// sends one GET over TLS. The address is resolved and checked first and then pinned, so that a second DNS response
// cannot change it (CMD-05 to CMD-09, CMD-13). No redirect, no retry, no decompression. The limits are 5 s in total and
// 5 KiB, counted on arrival. Other modules check the content of the document.
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { readBounded } from '#shared/base/bounded-body.ts';
import {
  AddressRefusedError,
  type AddressRules,
  allowedAddress,
  pinnedLookup,
  withinBudget,
} from '#shared/base/outgoing/allowed-address.ts';
import type { ClientIdUrl } from '#shared/protocol/oauth2/client-id-url.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { cacheLifetimeSeconds } from './cache-lifetime.ts';
import { DocumentRefusedError } from './document-refused.ts';

const bodyBytesMax = 5 * 1024;
const fetchBudgetMilliseconds = 5_000;

/** `allowLoopback`: the development exception (CMD-06). */
export interface FetchOptions extends AddressRules {
  /**
   * Called once the address has passed the checks, right before the request: an earlier rejection is not a fetch
   * (CMD-10).
   */
  readonly takeFetch?: () => Promise<boolean>;
  /**
   * The response is a key set or a request object: any media type is allowed. If it must not be cached, it is used
   * once.
   */
  readonly ofClient?: boolean;
  /** false: accept any server certificate. */
  readonly verifyTls?: boolean;
  /** For tests: certificate authorities that replace the system's. */
  readonly certificateAuthorities?: string;
  /** For tests. Default: `fetchBudgetMilliseconds`. */
  readonly budgetMilliseconds?: number;
}

export interface FetchedDocument {
  readonly body: Buffer;
  /** How long it may be cached (CMD-14). */
  readonly lifetimeSeconds: number;
}

/** @throws DocumentRefusedError for every outcome but a usable answer; RuntimeStoreUnavailableError of `takeFetch`. */
export async function fetchMetadataDocument(url: ClientIdUrl, options: FetchOptions): Promise<FetchedDocument> {
  const abort = new AbortController();
  const budget = options.budgetMilliseconds ?? fetchBudgetMilliseconds;
  const tooSlow = new DocumentRefusedError('document_fetch_too_slow', {
    problem: 'the fetch took longer than 5 seconds',
    expected: 'a complete response within 5 seconds',
    received: 'none within 5 seconds',
  });
  const timer = setTimeout(() => abort.abort(tooSlow), budget);
  try {
    const address = await withinBudget(allowedAddress(url.host, options), abort.signal);
    if (options.takeFetch !== undefined && !(await withinBudget(options.takeFetch(), abort.signal))) {
      throw new DocumentRefusedError('document_fetches_exhausted', {
        problem: 'the limit of 30 fetches a minute is reached',
        expected: 'at most 30 fetches a minute, of all documents together',
        received: 'one more fetch within the minute',
      });
    }
    const response = await send(url, address, options, abort.signal);
    try {
      const lifetimeSeconds = checkHead(response, options);
      return { body: await bodyOf(response), lifetimeSeconds };
    } finally {
      response.destroy();
    }
  } catch (error) {
    if (error instanceof DocumentRefusedError || error instanceof RuntimeStoreUnavailableError) throw error;
    if (error instanceof AddressRefusedError) {
      const [problem, expected] = [error.message, 'globally routable addresses'];
      throw new DocumentRefusedError('document_address_not_routable', { problem, expected, received: url.host });
    }
    if (abort.signal.reason instanceof DocumentRefusedError) throw abort.signal.reason;
    throw fetchFailed('it could not be fetched', error);
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

function send(
  url: ClientIdUrl,
  address: string,
  { certificateAuthorities, verifyTls = true, ofClient = false }: FetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest({
      method: 'GET',
      host: url.host,
      port: url.port,
      path: url.target,
      // The certificate proves the name. The connection goes only to the checked address.
      lookup: pinnedLookup(address),
      headers: { Host: url.authority, Accept: ofClient ? '*/*' : 'application/json', Connection: 'close' },
      agent: false,
      rejectUnauthorized: verifyTls,
      minVersion: 'TLSv1.2',
      maxHeaderSize: 16 * 1024,
      signal,
      ...(isIP(url.host) === 0 ? { servername: url.host } : {}),
      ...(certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }),
    });
    request.once('response', resolve);
    // More than one error may be emitted: the abort at the end is another.
    request.on('error', reject);
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(fetchFailed('its host switched to another protocol', new Error('a switch to another protocol')));
    });
    request.end();
  });
}

/** Checks status and headers. Returns how long the document may be cached. */
function checkHead({ statusCode, headers }: IncomingMessage, { ofClient = false }: FetchOptions): number {
  if (statusCode !== 200) {
    throw new DocumentRefusedError('document_status_wrong', {
      problem: `its host returned status ${statusCode ?? 0} instead of 200`,
      expected: '200',
      received: String(statusCode ?? 0),
    });
  }
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!ofClient && mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    throw new DocumentRefusedError('document_media_type_wrong', {
      problem: 'its media type must be application/json or end with +json',
      expected: 'application/json',
      received: mediaType === '' ? 'no Content-Type' : mediaType,
    });
  }
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && encoding !== '') {
    throw new DocumentRefusedError('document_compressed', {
      problem: 'its body is compressed',
      expected: 'no Content-Encoding',
      received: encoding,
    });
  }
  const lifetime = cacheLifetimeSeconds(headers['cache-control']);
  if (lifetime === undefined && ofClient) return 0;
  if (lifetime === undefined) {
    throw new DocumentRefusedError('document_not_cacheable', {
      problem: 'its host forbids caching it (no-store or no-cache)',
      expected: 'a response that may be cached',
      received: `Cache-Control: ${headers['cache-control'] ?? ''}`,
    });
  }
  return lifetime;
}

/** The signal of the request destroys the response, too. */
async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const { body, refusal } = await readBounded(response, { bytesMax: bodyBytesMax });
  if (refusal !== undefined) {
    throw new DocumentRefusedError('document_too_large', {
      problem: 'it is larger than 5 KiB',
      expected: `at most ${bodyBytesMax} bytes`,
      received: `more than ${bodyBytesMax} bytes`,
    });
  }
  if (!response.complete) {
    throw new DocumentRefusedError('document_incomplete', {
      problem: 'the connection closed before the end of its body',
      expected: 'a complete body',
      received: `${body.length} bytes`,
    });
  }
  return body;
}

/** The error of the network or of TLS is what the developer of the client can act on. */
function fetchFailed(problem: string, cause: unknown): DocumentRefusedError {
  const received = cause instanceof Error ? cause.message : 'no response';
  const found = { problem, expected: 'a response over TLS with a trusted certificate', received };
  return new DocumentRefusedError('document_fetch_failed', found, { cause });
}
