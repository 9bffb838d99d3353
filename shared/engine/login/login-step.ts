// What a POST with login fields led to, the same for /login, /authorize, /saml/sso and /device (LOG-01).
import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod } from '#shared/model/domain/authorization-request.ts';
import type { LoginSurface } from '#shared/model/domain/pending-second-factor.ts';
import type { Refused } from '#shared/model/refusals/refusal.ts';

/** What the login is for: a second factor works for exactly this (LOG-16). */
export interface LoginPurpose {
  readonly surface: LoginSurface;
  /** transaction_id, user code, or a digest of SAMLRequest, RelayState and verb; '' at /login. */
  readonly purpose: string;
}

export interface CompletedLogin {
  readonly username: string;
  readonly method: AuthenticationMethod;
  readonly authenticatedAt: Instant;
  /** ['pwd'] or ['pwd','otp'] while login.totp is in effect, else undefined (CLM-26). */
  readonly amr: readonly string[] | undefined;
  /** Typed for this login alone (PCL-18); absent: none. */
  readonly claims?: OwnClaims | undefined;
}

/** Which first screen to show: persona picker, both fields, or the two steps of login.two_step. */
export type FirstScreen = 'persona' | 'password' | 'two_step_username' | 'two_step_password';

/** Show a first screen: nothing was posted yet, or it was refused (`message`, `refused` for the audit). */
export interface FirstFactorStep {
  readonly step: 'first_factor';
  readonly screen: FirstScreen;
  readonly username: string | undefined;
  /** What the people of the persona picker are searched by; undefined: nothing was searched. */
  readonly search?: string | undefined;
  readonly message: string | undefined;
  /** The field that the message is about; undefined: the attempt as a whole. */
  readonly field: 'username' | 'password' | 'login_claims' | undefined;
  /** What was typed as claims of this login, to be shown again (PCL-17). */
  readonly typedClaims?: string | undefined;
  /** Set exactly when an attempt failed, so that the surface records it. */
  readonly refused: Refused | undefined;
}

/** Show the code screen; `id` goes into the hidden field `pending_second_factor` (at /authorize: `transaction_id`). */
export interface SecondFactorStep {
  readonly step: 'second_factor';
  readonly id: string;
  readonly username: string;
  readonly message: string | undefined;
  /** Set exactly when an attempt failed, so that the surface records it. */
  readonly refused: Refused | undefined;
}

/**
 * The login ends with an error page. `expired`: the record is gone, past its time or not this browser's (LOG-16,
 * LOG-20). `withdrawn`: the user or the settings changed under it (LOG-24).
 */
export interface EndedStep {
  readonly step: 'ended';
  readonly cause: 'expired' | 'withdrawn';
  readonly username: string | undefined;
  readonly message: string;
  readonly refused: Refused;
}

/** 1000 second factors are pending (LOG-21): a page says so. */
interface FullStep {
  readonly step: 'full';
  readonly username: string;
  readonly message: string;
  readonly refused: Refused;
}

export type LoginStep =
  | { readonly step: 'completed'; readonly login: CompletedLogin }
  | FirstFactorStep
  | SecondFactorStep
  | EndedStep
  | FullStep;
