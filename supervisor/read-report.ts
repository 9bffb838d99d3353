// Parses a worker's report by hand. The supervisor loads no validation library, because every stack waits for its
// start. The models are in shared/process/worker/mailbox.ts, and a test proves that both accept the same messages.

import { isStartRefusal } from '#shared/base/start-refusal.ts';
import { parseStoreLocation } from '#shared/model/runtime-store/store-location.ts';
import type { DeclaredPlace, Report } from '#shared/process/worker/mailbox.ts';

/** undefined: not a report. */
export function readReport(message: unknown): Report | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { type, path, reason, refusal, forGood, mendable, host, port, logLevel, tls, caFile, atStart } =
    message as Record<string, unknown>;
  switch (type) {
    case 'pong':
    case 'asked_to_leave':
      return { type };
    case 'ready':
      return typeof path === 'string' ? { type, path } : undefined;
    case 'fatal':
      if (typeof reason !== 'string' || !isStartRefusal(refusal)) return undefined;
      if (forGood !== undefined && forGood !== true) return undefined;
      if (mendable !== undefined && mendable !== true) return undefined;
      return {
        ...{ type, reason, refusal },
        ...(forGood === undefined ? {} : { forGood }),
        ...(mendable === undefined ? {} : { mendable }),
      };
    case 'declared': {
      const store = parseStoreLocation((message as Record<string, unknown>).store);
      if (typeof host !== 'string' || !isInteger(port) || store === undefined) return undefined;
      if (logLevel !== undefined && typeof logLevel !== 'string') return undefined;
      if (caFile !== undefined && typeof caFile !== 'string') return undefined;
      if (!isTls(tls)) return undefined;
      const values = readStartValues(atStart);
      if (values === undefined) return undefined;
      return {
        ...{ type, host, port, store, tls },
        ...(caFile === undefined ? {} : { caFile }),
        ...(logLevel === undefined ? {} : { logLevel }),
        atStart: values,
      };
    }
    default:
      return undefined;
  }
}

function isTls(value: unknown): value is DeclaredPlace['tls'] {
  if (value === 'off' || value === 'auto') return true;
  if (typeof value !== 'object' || value === null) return false;
  const { cert, key, ca } = value as Record<string, unknown>;
  return typeof cert === 'string' && typeof key === 'string' && (ca === undefined || typeof ca === 'string');
}

function readStartValues(value: unknown): DeclaredPlace['atStart'] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { trustForwarded, corsOrigins, defaultCorsOrigins, allowCredentialsOfEveryOrigin, rate, cookieSecret } =
    value as Record<string, unknown>;
  if (typeof trustForwarded !== 'boolean') return undefined;
  if (defaultCorsOrigins !== 'any' && defaultCorsOrigins !== 'loopback') return undefined;
  if (typeof allowCredentialsOfEveryOrigin !== 'boolean') return undefined;
  if (corsOrigins !== undefined && !isListOfTexts(corsOrigins)) return undefined;
  if (rate !== undefined && typeof rate !== 'string') return undefined;
  if (cookieSecret !== undefined && typeof cookieSecret !== 'string') return undefined;
  return {
    ...{ trustForwarded, defaultCorsOrigins, allowCredentialsOfEveryOrigin },
    ...(corsOrigins === undefined ? {} : { corsOrigins }),
    ...(rate === undefined ? {} : { rate }),
    ...(cookieSecret === undefined ? {} : { cookieSecret }),
  };
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
