// The field `login_claims` of the persona page: a JSON object under the rules of every `claims:` (PCL-02 to PCL-04,
// PCL-17), and fields of the user (LIN-05).

import type { Parameters } from '#shared/base/parameters.ts';
import { isMapping, unusableMember } from '#shared/base/untrusted-values.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import { loginClaimsModel } from '#shared/model/configuration/login-claims.ts';
import { typedClaimsBytesMax } from '#shared/model/domain/typed-claims.ts';

export const typedClaimsField = 'login_claims';

/** The typed text; undefined: nothing was typed, or the field is not read. */
export function typedClaimsText(form: Parameters, { snapshot }: Pick<ProtocolContext, 'snapshot'>): string | undefined {
  const { mode, edit_claims } = snapshot.settings.login;
  if (mode !== 'persona' || !edit_claims) return undefined;
  const text = form.value(typedClaimsField);
  return text?.trim() === '' ? undefined : text;
}

type TypedClaimsReading =
  | { readonly claims: OwnClaims | undefined }
  /** A sentence that names the error and its position. */
  | { readonly problem: string };

/** An object without members counts as nothing. */
export function readTypedClaims(text: string): TypedClaimsReading {
  if (Buffer.byteLength(text) > typedClaimsBytesMax) {
    return { problem: `${typedClaimsField} is larger than ${typedClaimsBytesMax / 1024} KiB.` };
  }
  const value = parsed(text);
  if (!isMapping(value)) {
    return { problem: `${typedClaimsField} must be a JSON object, such as {"given_name": "Alice"}.` };
  }
  const unusable = unusableMember(value);
  if (unusable !== undefined) {
    return { problem: `${[typedClaimsField, ...unusable.path].join('.')} ${unusable.problem}.` };
  }
  const read = loginClaimsModel.safeParse(value);
  if (read.success) return { claims: Object.keys(read.data).length === 0 ? undefined : read.data };
  const problems = read.error.issues.map(({ path, message }) => `${[typedClaimsField, ...path].join('.')} ${message}`);
  return { problem: `${problems.join('; ')}.` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
