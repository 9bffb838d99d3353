// The statements about `rate_windows`, `shared_secrets` and `verified_authn_requests`.
import { rememberedRow, secretRow, windowRow } from '../rows/coordination.ts';
import { command, query, type StatementTexts } from './text.ts';

export const rateTexts = {
  find: query(
    'SELECT started_at, expires_at, requests FROM rate_windows WHERE namespace = @ns AND bucket = @bucket',
    windowRow,
  ),
  store: command(
    `INSERT INTO rate_windows (namespace, bucket, started_at, expires_at, requests)
     VALUES (@ns, @bucket, @started_at, @expires_at, @requests)
     ON CONFLICT (namespace, bucket) DO UPDATE SET
       started_at = excluded.started_at, expires_at = excluded.expires_at, requests = excluded.requests`,
  ),
} satisfies StatementTexts;

export const secretTexts = {
  find: query('SELECT secret FROM shared_secrets WHERE namespace = @ns AND name = @name', secretRow),
  add: command('INSERT INTO shared_secrets (namespace, name, secret) VALUES (@ns, @name, @secret)'),
} satisfies StatementTexts;

export const authnRequestTexts = {
  find: query(
    'SELECT remembered FROM verified_authn_requests WHERE namespace = @ns AND browser = @browser',
    rememberedRow,
  ),
  store: command(
    `INSERT INTO verified_authn_requests (namespace, browser, remembered, expires_at)
     VALUES (@ns, @browser, @remembered, @expires_at)
     ON CONFLICT (namespace, browser) DO UPDATE SET
       remembered = excluded.remembered, expires_at = excluded.expires_at`,
  ),
} satisfies StatementTexts;
