// The result of a POST with login fields, the same for /login, /authorize, /saml/sso and /device (LOG-01).
import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod } from '#shared/model/domain/authorization-request.ts';
import type { LoginSurface } from '#shared/model/domain/pending-second-factor.ts';
import type { Refused } from '#shared/model/refusals/refusal.ts';

/** The purpose of the login: a second factor is valid only for exactly this (LOG-16). */
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

/** Shows a first screen: nothing was posted yet, or it was rejected (`message`, `refused` for the audit). */
export interface FirstFactorStep {
  readonly step: 'first_factor';
  readonly screen: FirstScreen;
  readonly username: string | undefined;
  /** The search text of the persona picker; undefined: no search. */
  readonly search?: string | undefined;
  readonly message: string | undefined;
  /** The field that the message is about; undefined: the attempt as a whole. */
  readonly field: 'username' | 'password' | 'login_claims' | undefined;
  /** The typed claims of this login, to be shown again (PCL-17). */
  readonly typedClaims?: string | undefined;
  /** Set exactly when an attempt failed, so that the surface records it. */
  readonly refused: Refused | undefined;
}

/**
 * Shows the code screen; `id` is the value of the hidden field `pending_second_factor` (at /authorize:
 * `transaction_id`).
 */
export interface SecondFactorStep {
  readonly step: 'second_factor';
  readonly id: string;
  readonly username: string;
  readonly message: string | undefined;
  /** Set exactly when an attempt failed, so that the surface records it. */
  readonly refused: Refused | undefined;
}

/**
 * The login ends with an error page. `expired`: the record was deleted, has expired or belongs to another browser
 * (LOG-16, LOG-20). `withdrawn`: the user or the settings changed meanwhile (LOG-24).
 */
export interface EndedStep {
  readonly step: 'ended';
  readonly cause: 'expired' | 'withdrawn';
  readonly username: string | undefined;
  readonly message: string;
  readonly refused: Refused;
}

/** 1000 second factors are pending (LOG-21): the response is a page with that message. */
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
