// A large field for a code from another screen: six digits of an authenticator, or the user code of a device.
import { Field } from './field.tsx';

interface CodeFieldProps {
  readonly name: string;
  readonly label: string;
  /** `digits`: six digits of a TOTP; `letters`: a device's user code. */
  readonly alphabet: 'digits' | 'letters';
  readonly value?: string | undefined;
  readonly error?: string | undefined;
  /** Whether the field gets the focus. Default: true. */
  readonly autoFocus?: boolean | undefined;
}

export function CodeField({ name, label, alphabet, value, error, autoFocus = true }: CodeFieldProps) {
  return (
    <div class="field-code">
      <Field
        name={name}
        label={label}
        error={error}
        value={value}
        required
        autoFocus={autoFocus}
        inputMode={alphabet === 'digits' ? 'numeric' : 'text'}
        autoComplete={alphabet === 'digits' ? 'one-time-code' : 'off'}
        autoCapitalize={alphabet === 'digits' ? 'off' : 'characters'}
        spellcheck={false}
        enterKeyHint={alphabet === 'digits' ? 'go' : undefined}
        maxLength={alphabet === 'digits' ? 8 : 32}
      />
    </div>
  );
}
