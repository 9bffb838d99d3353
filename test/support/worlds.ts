// The configuration of a started program when a test does not say otherwise: a world is a base of clients and users,
// changed by what a test gives. Tests of one area share a world, so that a reader knows who alice is.

/** A part of a YAML file. */
export interface Tree {
  readonly [name: string]: unknown;
}

/** The changes of a test. In a world with a base, `settings` are merged into it and `users` replace its users. */
export interface Changes {
  readonly settings?: string | object | undefined;
  readonly clients?: readonly Tree[] | undefined;
  readonly users?: string | object | undefined;
}

export interface World {
  /** `instance`: both front ends in one process, as the start API runs them. */
  readonly command: 'start' | 'oidc' | 'instance';
  /** Content of both files: YAML text, or a value to be written as YAML. */
  files(changes: Changes): { readonly settings: string | object; readonly users: string | object };
}

export const callback = 'http://127.0.0.1:9/callback';
/** Base32 of the ASCII secret of RFC 6238's examples. */
export const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

const issuer = { issuer: 'http://127.0.0.1:8000', issuer_from_request: true };

export const demoSettings = {
  oauth: {
    ...issuer,
    clients: [
      { client_id: 'web', client_secret: 'web-secret', redirect_uris: [callback] },
      {
        client_id: 'post',
        client_secret: 'post-secret',
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [callback],
      },
      { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: [callback] },
    ],
  },
};

export const demoUsers = {
  users: {
    alice: { password: 'wonderland', email: 'alice@example.org', roles: ['USER', 'ADMIN'], groups: ['staff'] },
    bob: { password: 'builder' },
  },
};

/** The default. It has no base: the test gives the whole file. */
export const demo: World = {
  command: 'start',
  files: ({ settings = demoSettings, users = demoUsers }) => ({ settings, users }),
};

/** The demo with open registration, for runtime objects. */
export const registering: World = {
  command: 'start',
  files: ({ settings = {}, users = demoUsers }) => ({
    settings: {
      ...demoSettings,
      ...partsOf(settings),
      oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true } },
    },
    users,
  }),
};

export const interactiveUsers = {
  alice: { password: 'wonderland', description: 'Signs the releases' },
  bob: { password: ' builder ' },
  carol: { password: 'cabbage', totp_secret: totpSecret },
  dave: { password: 'dormouse', totp_secret: totpSecret },
  erin: { description: 'Has no password' },
};

const interactiveClients = [
  {
    client_id: 'web',
    client_secret: 'web-secret',
    redirect_uris: [callback, 'https://app.example/cb?x=%2f&flag&y=%20'],
  },
  { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: [callback] },
  { client_id: 'open', client_secret: 'open-secret' },
  {
    client_id: 'narrow',
    client_secret: 'narrow-secret',
    redirect_uris: [callback],
    scope: 'openid email',
    allowed_resources: ['https://api.example'],
  },
];

/**
 * Logins and tokens on a SQLite store. A test can rewrite its files (loaded at the next request), move its clock and
 * fill its store up.
 */
export const interactive: World = {
  command: 'oidc',
  files({ settings = {}, clients = [], users = interactiveUsers }) {
    const { oauth, ...others } = partsOf(settings);
    return {
      settings: {
        ...others,
        oauth: { ...issuer, clients: [...interactiveClients, ...clients], ...partsOf(oauth) },
        runtime: { store: 'sqlite', path: '../state/runtime.db' },
      },
      users: { users },
    };
  },
};

export const samlUsers = {
  alice: {
    password: 'wonderland',
    email: 'alice@example.com',
    identity_class: 'INTERNAL',
    roles: ['USER', 'ADMIN'],
    groups: ['staff', 'ADMIN'],
    entitlements: ['E1', 'E,2'],
    source_acl: ['ACL1'],
    tenant: 'secret-tenant',
    description: 'secret-description',
    attributes: { department: 'Sales, EMEA', level: 3, nested: { a: [1] }, list: ['x', 2], off: false, none: '' },
  },
  bob: { password: 'builder', roles: [] },
};

/** Without clients. The users have everything that an assertion can contain. */
export const saml: World = {
  command: 'instance',
  files({ settings = {}, users = samlUsers }) {
    const { oauth, ...others } = partsOf(settings);
    return { settings: { oauth: { ...issuer, ...partsOf(oauth) }, ...others }, users: { users } };
  },
};

function partsOf(value: unknown): Tree {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
