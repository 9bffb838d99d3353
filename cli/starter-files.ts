// The files that `init` writes. The shipped config/ has the same texts below a line that points editors at the schema.
// A test checks that they match.
const settings = `# Settings of test-idp. docs/settings.md in the repository explains every key, with its type, bounds and default.
# \`test-idp config-schema --file settings\` prints the same as a JSON Schema.
# Values may contain placeholders for environment variables: \${NAME} or \${NAME:default}.
config_version: 1

# Whether an unknown key is an error (strict) or a warning (default).
config_validation: strict

# How strict the protocols are: dev, stricter-dev or oauth21.
security_profile: dev

server:
  # Only this machine can reach the server. Use 0.0.0.0 to allow containers and other machines.
  host: 127.0.0.1
  port: 8000

oauth:
  # \`iss\` of tokens and base of all addresses.
  issuer: \${IDP_ISSUER:http://127.0.0.1:8000}
  # Use the scheme and host of each request as the issuer instead, so that any port works.
  issuer_from_request: true
  # \`aud\` of access tokens, unless a request names a resource.
  audience: default
  # Lifetimes in minutes.
  token_expiry_minutes: 60
  refresh_token_expiry_minutes: 10080
  # ID tokens contain the claims of the scopes profile and email, because most libraries read names from them.
  id_token_claims: scope
  response_modes: [query, form_post, fragment]
  # Grant scopes that the server does not know, as an MCP server or an API may need. reject and ignore are stricter.
  unknown_scopes: grant
  # Show in the audit and on the page why the metadata document of a client was rejected.
  client_id_metadata_documents:
    show_reasons: true

  clients:
    # A confidential client, which can send its secret in the header or in the form. Without redirect_uris, it can use
    # any acceptable redirect URI.
    - client_id: demo-client
      client_secret: demo-secret
      token_endpoint_auth_method: client_secret_any
      description: Demo client

    # A confidential client that sends its secret only in the form.
    - client_id: demo-post
      client_secret: demo-post-secret
      token_endpoint_auth_method: client_secret_post
      description: Demo client (client_secret_post)

    # A public client, such as a single-page application or a mobile app: no secret, always PKCE.
    - client_id: demo-public
      token_endpoint_auth_method: none
      description: Demo public client (PKCE)

    # A client with more settings.
    - client_id: demo-app
      client_secret: demo-app-secret
      description: Demo application
      redirect_uris:
        - http://127.0.0.1:3000/callback
        - http://localhost:3000/callback
      post_logout_redirect_uris:
        - http://127.0.0.1:3000/
      scope: openid profile email offline_access
      header_color: "#1f6feb"
      show_description: true

  # Clients can register themselves at /register (RFC 7591).
  dynamic_registration:
    enabled: false
    max_clients: 100

saml:
  # Response address for requests that name none. With "", such requests are rejected.
  default_acs_url: http://localhost:8080/login/saml2/sso/samlIdp
  sign_responses: true
  export_roles: false
  export_groups: false

login:
  # persona: users choose an account from a list, without a password.
  mode: password
  # Require a second factor from users with a totp_secret.
  totp: false

jwt:
  # Directory of the signing keys, relative to this one. Created at the first start.
  keys_dir: ../keys

logging:
  # DEBUG, INFO, WARNING, ERROR or CRITICAL.
  level: INFO
`;

const users = `# Users of test-idp. docs/settings.md in the repository explains every key, with its type and default.
# \`test-idp config-schema --file users\` prints the same as a JSON Schema.
# Any other key becomes a custom attribute of the user.
config_version: 1

users:
  admin:
    password: admin
    description: Administrator
    email: admin@example.org
    identity_class: INTERNAL
    roles: [USER, ADMIN]
    groups: [administrators]
    claims: { name: Ada Admin, given_name: Ada, family_name: Admin }

  alice:
    password: alice
    description: Employee with entitlements and custom attributes
    email: alice@example.org
    identity_class: INTERNAL
    roles: [USER]
    groups: [engineering, staff]
    entitlements: [REPORTS_READ, REPORTS_WRITE]
    source_acl: [project-a:read, project-b:write]
    tenant: default
    attributes:
      department: Engineering
      employee_number: 4711
      office: { city: Lisbon, floor: 3 }
    # All standard claims of OpenID Connect. docs/claims.md shows which claim appears where.
    claims:
      name: Alice Maria Almeida
      given_name: Alice
      family_name: Almeida
      middle_name: Maria
      nickname: Ali
      preferred_username: alice
      profile: https://example.org/people/alice
      picture: https://example.org/people/alice.png
      website: https://alice.example.org/
      email_verified: true
      gender: female
      birthdate: "1990-02-28"
      zoneinfo: Europe/Lisbon
      locale: pt-PT
      phone_number: "+351 210 000 000"
      phone_number_verified: false
      address:
        formatted: "Rua do Exemplo 1\\n1000-001 Lisboa\\nPortugal"
        street_address: Rua do Exemplo 1
        locality: Lisboa
        postal_code: 1000-001
        country: PT
      updated_at: 1767225600

  bob:
    password: bob
    description: External partner
    email: bob@partner.example.com
    identity_class: EXTERNAL
    roles: [USER, PARTNER]
    tenant: partner
    claims: { name: Bob Brown, given_name: Bob, family_name: Brown, email_verified: false }

  # With login.totp: true, carol also has to enter a code from her authenticator app.
  carol:
    password: carol
    description: Employee with a second factor
    email: carol@example.org
    identity_class: INTERNAL
    roles: [USER, AUDITOR]
    groups: [finance, staff]
    totp_secret: JBSWY3DPEHPK3PXP
    claims: { name: Carol Carter, given_name: Carol, family_name: Carter }

  # No password, so guest can log in only with login.mode: persona.
  guest:
    description: Guest persona
    email: guest@example.org
    identity_class: EXTERNAL
    roles: [GUEST]
    claims: { name: Guest }
`;

export const starterFiles = { 'settings.yaml': settings, 'users.yaml': users } as const;
