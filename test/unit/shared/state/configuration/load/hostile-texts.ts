// Hostile texts for the loader, each with the only finding that it should cause (undefined: it is harmless). `settings`
// is settings.yaml, `users` is users.yaml.

interface HostileText {
  readonly settings?: string;
  readonly users?: string;
  /** As `level: file:line:column path sentence`. */
  readonly finding: RegExp | undefined;
}

const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghijklmnop'.split('').map((name, index) => {
    const inner = `*${'abcdefghijklmnop'[index]}`;
    return `${name}: &${name} [${Array(9).fill(inner).join(', ')}]`;
  }),
].join('\n');

/** Nearly as many characters as a file may have bytes. */
const whole = 2_000_000;
/** A large part of the tokens that a file may have. */
const tokens = 150_000;
const fill = (length: number, unit: string) => unit.repeat(Math.floor(length / unit.length));
const numbered = (count: number, line: (number: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('');

export const hostileTexts: Readonly<Record<string, HostileText>> = {
  'an alias bomb': { settings: bomb, finding: /^error: settings\.yaml:1:\d+ has aliases that expand to too much/ },
  'aliases without end': {
    settings: `a: &a [x]\nb: [${fill(100_000, '*a,')}]`,
    finding: /^error: settings\.yaml:1:\d+ has aliases that expand to too much/,
  },
  'a cycle': {
    settings: 'plugins: &p\n  x: *p',
    finding: /^error: settings\.yaml:2:6 plugins\.x is an alias that contains itself/,
  },
  'a cycle through two': {
    settings: 'a: &a {b: &b {c: *a}}',
    finding: /^error: settings\.yaml:1:18 a\.b\.c is an alias that contains itself/,
  },
  'an alias of nothing': {
    settings: 'server: *nope',
    finding: /^error: settings\.yaml:1:9 server is an alias of an unknown anchor/,
  },
  'a doubled key': {
    settings: 'server: {}\nserver: {}',
    finding: /^error: settings\.yaml:2:1 server is repeated/,
  },
  'a key doubled in other quotes': {
    users: 'users:\n  ada: {}\n  "ada": {}',
    finding: /^error: users\.yaml:3:3 users\.ada is repeated/,
  },
  'a key many times': {
    settings: fill(50_000, 'a: 1\n'),
    finding: /^error: settings\.yaml:2:1 a is repeated/,
  },
  'a tab as indentation': {
    settings: 'server:\n\tport: 1',
    finding: /^error: settings\.yaml:2:\d+ is not valid YAML: tabs cannot indent/,
  },
  'tabs alone': { settings: fill(whole, '\t'), finding: undefined },
  'the key __proto__': {
    settings: '__proto__:\n  polluted: true',
    finding: /^error: settings\.yaml:1:1 __proto__ is a reserved name/,
  },
  'a user __proto__': {
    users: 'users:\n  __proto__: {polluted: true}',
    finding: /^error: users\.yaml:2:3 users\.__proto__ is a reserved name/,
  },
  'an attribute __proto__': {
    users: 'users:\n  ada: {attributes: {deep: {__proto__: {polluted: true}}}}',
    finding: /^error: users\.yaml:2:\d+ users\.ada\.attributes\.deep\.__proto__ is a reserved name/,
  },
  'a merge key': {
    settings: 'server:\n  <<: {port: 1}',
    finding: /^error: settings\.yaml:2:3 server\.<< \(a merge key\) is not supported/,
  },
  'a tag': { settings: 'server: !!js/function "x"', finding: /^error: settings\.yaml:1:\d+ server has a YAML tag/ },
  'two documents': {
    settings: 'a: 1\n---\nb: 2',
    finding: /^error: settings\.yaml:\d+:\d+ has more than one YAML doc/,
  },
  'many documents': {
    settings: fill(whole, '---\n'),
    finding: /^error: settings\.yaml:2:1 has more than one YAML doc|is too long/,
  },
  'a key that is no text': {
    settings: '? [a]\n: b',
    finding: /^error: settings\.yaml:\d+:\d+ has a key that is not a string/,
  },
  'a list instead of a mapping': { settings: '- a', finding: /^error: settings\.yaml:1:1 must be a mapping/ },
  'deep nesting, closed': {
    settings: `a: ${'['.repeat(200)}${']'.repeat(200)}`,
    finding: /^error: settings\.yaml:1:\d+ is nested too deeply/,
  },
  'deep nesting, open': { settings: fill(whole, '['), finding: /^error: settings\.yaml:1:\d+ is nested too deeply/ },
  'deep nesting of lists': { settings: fill(whole, '- '), finding: /^error: settings\.yaml:1:1 is nested too deeply/ },
  'deep nesting of keys': { settings: fill(whole, '? '), finding: /^error: settings\.yaml:1:1 is nested too deeply/ },
  'deep nesting of mappings': {
    settings: numbered(200, (n) => `${' '.repeat(n)}a:\n`),
    finding: /^error: settings\.yaml:161:\d+ is nested too deeply/,
  },
  'spaces without end': { settings: `server: {}\n${fill(whole, ' ')}`, finding: undefined },
  'a text without end': {
    settings: `a: "${fill(whole, 'x')}`,
    finding: /^error: settings\.yaml:1:\d+ is not valid YAML: a character is missing/,
  },
  'placeholders without end': { settings: `oauth: {audience: "${fill(whole, '${A:')}"}`, finding: undefined },
  'escapes that are none': {
    settings: `a: "${fill(40_000, '\\q')}"`,
    finding: /^error: settings\.yaml:1:5 is not valid YAML: unknown escape/,
  },
  'brackets that belong nowhere': {
    settings: `a: ${fill(40_000, '[]')}`,
    finding: /^error: settings\.yaml:1:6 is not valid YAML/,
  },
  'hundreds of thousands of mappings': {
    settings: `plugins: {a: {b: [${fill(tokens, '{},')}]}}`,
    finding: undefined,
  },
  'more words and marks than may be': {
    settings: `plugins: {a: {b: [${fill(whole, '{},')}]}}`,
    finding: /^error: settings\.yaml:1:\d+ is too long: it has more than 500000 tokens/,
  },
  'line ends alone': { settings: fill(whole, '\n'), finding: /^error: settings\.yaml:\d+:1 is too long/ },
  'NUL characters': { settings: fill(whole, '\0'), finding: /^error: settings\.yaml:1:1 must be a mapping/ },
  'the line ends of an old Macintosh': {
    settings: 'server:\r  port: 1\r',
    finding: /^error: settings\.yaml:1:\d+ is not valid YAML/,
  },
  'the line ends of Windows and a byte order mark': {
    settings: '\uFEFFserver:\r\n  port: 8001\r\n',
    finding: undefined,
  },
  'two thousand users': {
    users: `users:\n${numbered(2_000, (n) => `  user-${n}:\n    password: secret-${n}\n    email: user-${n}@example.com\n    roles: [USER, ADMIN]\n    attributes:\n      level: ${n}\n`)}`,
    finding: undefined,
  },
};

/** Has thousands of errors, of which the first ones are reported. */
export const manyFaults: Readonly<Record<string, { readonly settings?: string; readonly users?: string }>> = {
  'users with faults': { users: `users:\n${numbered(2_000, (n) => ` u${n}: {email: x, roles: y}\n`)}` },
  'unknown keys': { settings: numbered(10_000, (n) => `k${n}: 1\n`) },
  'clients with faults': {
    settings: `oauth:\n clients:\n${numbered(5_000, (n) => `  - {client_id: c, bad${n}: s}\n`)}`,
  },
};
