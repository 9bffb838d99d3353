// Where the rules are written that a refused request broke: RFCs, OpenID Connect, SAML, and clauses of this project's own
// contract (test/requirements).
export interface Reference {
  readonly reference: string;
  readonly link: string | undefined;
}

export function rfc(number: number, section: string): Reference {
  return {
    reference: `RFC ${number} §${section}`,
    link: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
  };
}

export function oidc(section: string): Reference {
  return {
    reference: `OpenID Connect Core §${section}`,
    link: 'https://openid.net/specs/openid-connect-core-1_0.html',
  };
}

export function samlCore(section: string): Reference {
  return {
    reference: `SAML 2.0 core §${section}`,
    link: 'https://docs.oasis-open.org/security/saml/v2.0/saml-core-2.0-os.pdf',
  };
}

export function samlBindings(section: string): Reference {
  return {
    reference: `SAML 2.0 bindings §${section}`,
    link: 'https://docs.oasis-open.org/security/saml/v2.0/saml-bindings-2.0-os.pdf',
  };
}

export function contract(clauses: string): Reference {
  return { reference: `contract ${clauses}`, link: undefined };
}
