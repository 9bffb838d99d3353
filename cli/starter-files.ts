// The files that `init` writes. The shipped config/ has the same texts below a line that points editors at the schema.
// A test checks that they match.
const settings = `# Settings of test-idp. Every key, with its type, bounds and default, is explained in docs/settings.md of its repository;
# \`test-idp config-schema --file settings\` prints the same as a JSON Schema.
# Values may hold placeholders: \${NAME} or \${NAME:default} stands for an environment variable.
config_version: 1

# strict: an unknown key is an error; default: a warning.
config_validation: strict

# dev, stricter-dev or oauth21: how strict the protocols are.
security_profile: dev

server:
  # Only this machine can reach the service. 0.0.0.0 lets a container or another machine in.
  host: 127.0.0.1
  port: 8000

oauth:
  # \`iss\` of tokens and base of every address in them ...
  issuer: \${IDP_ISSUER:http://127.0.0.1:8000}
  # ... unless it follows scheme and host of each request, so that any port works.
  issuer_from_request: true
  # \`aud\` of access tokens, unless a request names a resource.
  audience: default
  # Lifetimes in minutes.
  token_expiry_minutes: 60
  refresh_token_expiry_minutes: 10080
  # ID tokens say what the scopes profile and email stand for, since that is where most libraries look for a name.
  id_token_claims: scope
  response_modes: [query, form_post, fragment]

  clients:
    # A confidential client, which may send its secret in the header or in the form. Without redirect_uris any acceptable
    # one may be used.
    - client_id: demo-client
      client_secret: demo-secret
      token_endpoint_auth_method: client_secret_any
      description: Demo client

    # The same, but the secret is sent in the form alone.
    - client_id: demo-post
      client_secret: demo-post-secret
      token_endpoint_auth_method: client_secret_post
      description: Demo client (client_secret_post)

    # A public client, such as a single-page application or a mobile app: no secret, always PKCE.
    - client_id: demo-public
      token_endpoint_auth_method: none
      description: Demo public client (PKCE)

    # An application with everything set.
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

  # Let clients register themselves at /register (RFC 7591).
  dynamic_registration:
    enabled: false
    max_clients: 100

saml:
  # Where a Response goes when the request names no address; "" refuses such a request.
  default_acs_url: http://localhost:8080/login/saml2/sso/samlIdp
  sign_responses: true
  export_roles: false
  export_groups: false

login:
  # persona: the user is chosen from a list, without a password.
  mode: password
  # Ask users who have a totp_secret for a second factor.
  totp: false

jwt:
  # Signing keys are made here at the first start. Seen from this directory.
  keys_dir: ../keys

logging:
  # DEBUG, INFO, WARNING, ERROR or CRITICAL.
  level: INFO
`;

const users = `# Users of test-idp. Every key, with its type and default, is explained in docs/settings.md of its repository;
# \`test-idp config-schema --file users\` prints the same as a JSON Schema.
# A key that is not explained there becomes a custom attribute of the user.
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
    # Every standard claim of OpenID Connect; docs/claims.md says which comes out where.
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

  # With login.totp on, carol is asked for a code of her authenticator app, too.
  carol:
    password: carol
    description: Employee with a second factor
    email: carol@example.org
    identity_class: INTERNAL
    roles: [USER, AUDITOR]
    groups: [finance, staff]
    totp_secret: JBSWY3DPEHPK3PXP
    claims: { name: Carol Carter, given_name: Carol, family_name: Carter }

  # Without a password: can only be chosen with login.mode persona.
  guest:
    description: Guest persona
    email: guest@example.org
    identity_class: EXTERNAL
    roles: [GUEST]
    claims: { name: Guest }
`;

export const starterFiles = { 'settings.yaml': settings, 'users.yaml': users } as const;
