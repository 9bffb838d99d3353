// Query strings and form bodies as ordered lists of pairs. Doubled parameters stay visible (AUT-05, TOK-05), and no
// name from outside ever becomes a property of an object.

export class Parameters {
  readonly pairs: readonly (readonly [name: string, value: string])[];

  constructor(pairs: readonly (readonly [string, string])[]) {
    this.pairs = pairs;
  }

  static parse(text: string): Parameters {
    return text === '' ? Parameters.none : new Parameters([...new URLSearchParams(text)]);
  }

  static readonly none = new Parameters([]);

  /** The first value as sent, including an empty string. */
  first(name: string): string | undefined {
    for (const [key, value] of this.pairs) if (key === name) return value;
    return undefined;
  }

  /** The first non-empty value: a parameter sent without a value is treated as not sent (RFC 6749 §3.1). */
  value(name: string): string | undefined {
    for (const [key, value] of this.pairs) if (key === name && value !== '') return value;
    return undefined;
  }

  /** All non-empty values, in order. */
  values(name: string): readonly string[] {
    return this.pairs.filter(([key, value]) => key === name && value !== '').map(([, value]) => value);
  }

  has(name: string): boolean {
    return this.pairs.some(([key]) => key === name);
  }

  /** How often the parameter was sent, empty values included. */
  count(name: string): number {
    return this.pairs.filter(([key]) => key === name).length;
  }
}
