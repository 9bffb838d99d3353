// The lifetimes of tokens and codes: keys of `oauth`, and of a client for its own tokens (CLS-K05, CLS-K06).
import { authorizationCodeSecondsMax } from '#shared/model/domain/authorization-code.ts';
import { fields } from '../field.ts';
import { wholeNumber } from '../value-kinds.ts';

/** The bounds, in minutes, of every token lifetime that can be chosen. */
export const tokenLifetimeMinutes = { least: 1, most: 1440 } as const;

/** Test tokens may also have a negative lifetime, which means expired that many minutes ago (D46). */
export function isTestTokenLifetime(minutes: number): boolean {
  return minutes !== 0 && Math.abs(minutes) <= tokenLifetimeMinutes.most;
}

const tokenSeconds = () => ownSeconds(tokenLifetimeMinutes.most * 60);
const refreshTokenMinutesMax = 43_200;
const refreshTokenSeconds = () => ownSeconds(refreshTokenMinutesMax * 60);

const ownSeconds = (most: number) =>
  wholeNumber(1, most)
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

export const tokenLifetimes = {
  token_expiry_minutes: wholeNumber(tokenLifetimeMinutes.least, tokenLifetimeMinutes.most)
    .default(60)
    .register(fields, {
      description: 'Lifetime of access and ID tokens, in minutes.',
      label: 'Access token, minutes',
      form: { section: 'tokens' },
      sandbox: true,
    }),
  token_expiry_seconds: tokenSeconds().register(fields, {
    description: 'The same in seconds, in place of `token_expiry_minutes`.',
    label: 'Access token, seconds',
    form: { section: 'tokens' },
    whenAbsent: 'as `token_expiry_minutes`',
    sandbox: true,
    api: false,
  }),
  id_token_expiry_seconds: tokenSeconds().register(fields, {
    description: 'Lifetime of ID tokens, in seconds.',
    label: 'ID token, seconds',
    form: { section: 'tokens' },
    whenAbsent: 'that of the access token',
    sandbox: true,
    api: false,
  }),
  refresh_token_expiry_minutes: wholeNumber(1, refreshTokenMinutesMax)
    .default(10_080)
    .register(fields, {
      description: 'Lifetime of refresh tokens, in minutes.',
      label: 'Refresh token, minutes',
      form: { section: 'tokens' },
      sandbox: true,
      yaml: 'unless-default',
    }),
  refresh_token_expiry_seconds: refreshTokenSeconds().register(fields, {
    description: 'The same in seconds, in place of `refresh_token_expiry_minutes`.',
    label: 'Refresh token, seconds',
    form: { section: 'tokens' },
    whenAbsent: 'as `refresh_token_expiry_minutes`',
    sandbox: true,
    api: false,
  }),
  authorization_code_expiry_seconds: wholeNumber(1, authorizationCodeSecondsMax)
    .default(authorizationCodeSecondsMax)
    .register(fields, {
      description: 'Lifetime of authorization codes, in seconds.',
      label: 'Authorization code, seconds',
      form: { section: 'tokens' },
      sandbox: true,
      api: false,
      yaml: 'unless-default',
    }),
};

const ofTheClient = (description: string, label: string) =>
  ({
    description,
    label,
    form: { section: 'tokens', hint: 'Blank: as in the settings.' },
    whenAbsent: 'as in `oauth`',
    api: false,
  }) as const;

/** Of the client's tokens, in place of those of `oauth` (CLS-06). */
export const clientLifetimes = {
  token_expiry_seconds: tokenSeconds().register(
    fields,
    ofTheClient('Lifetime of its access tokens, in seconds.', 'Access token, seconds'),
  ),
  id_token_expiry_seconds: tokenSeconds().register(
    fields,
    ofTheClient('Lifetime of its ID tokens, in seconds.', 'ID token, seconds'),
  ),
  refresh_token_expiry_seconds: refreshTokenSeconds().register(
    fields,
    ofTheClient('Lifetime of its refresh tokens, in seconds.', 'Refresh token, seconds'),
  ),
};

/** The two keys of `oauth` for one lifetime. A file has at most one of them (CLS-07). */
export const lifetimeUnits = [
  { seconds: 'token_expiry_seconds', minutes: 'token_expiry_minutes' },
  { seconds: 'refresh_token_expiry_seconds', minutes: 'refresh_token_expiry_minutes' },
] as const;

/** For the dotted path of a lifetime in minutes: that of the same lifetime in seconds. undefined: another key. */
export function secondsInsteadOf(path: string): string | undefined {
  const unit = lifetimeUnits.find(({ minutes }) => path === `oauth.${minutes}`);
  return unit && `oauth.${unit.seconds}`;
}

/** For the dotted path of a lifetime in one unit: that of the same lifetime in the other one. */
export function otherUnitOf(path: string): string | undefined {
  const unit = lifetimeUnits.find(({ seconds }) => path === `oauth.${seconds}`);
  return unit === undefined ? secondsInsteadOf(path) : `oauth.${unit.minutes}`;
}
