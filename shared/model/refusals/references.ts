// Where the violated rule is documented: an RFC, OpenID Connect, SAML, or a heading of this project's documents.
export interface Reference {
  readonly reference: string;
  /** undefined for a document of this project, because the reader's copy may be anywhere. */
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

export function oidcDiscovery(section: string): Reference {
  return {
    reference: `OpenID Connect Discovery §${section}`,
    link: 'https://openid.net/specs/openid-connect-discovery-1_0.html',
  };
}

export function oidcLogout(section: string): Reference {
  return {
    reference: `OpenID Connect RP-Initiated Logout §${section}`,
    link: 'https://openid.net/specs/openid-connect-rpinitiated-1_0.html',
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

export function samlProfiles(section: string): Reference {
  return {
    reference: `SAML 2.0 profiles §${section}`,
    link: 'https://docs.oasis-open.org/security/saml/v2.0/saml-profiles-2.0-os.pdf',
  };
}

export function xmlSignature(section: string): Reference {
  return { reference: `XML Signature §${section}`, link: 'https://www.w3.org/TR/xmldsig-core1/' };
}

export function soap(section: string): Reference {
  return { reference: `SOAP 1.1 §${section}`, link: 'https://www.w3.org/TR/2000/NOTE-SOAP-20000508/' };
}

export function jsonRpc(section: string): Reference {
  return { reference: `JSON-RPC 2.0 §${section}`, link: 'https://www.jsonrpc.org/specification' };
}

/** Refers to a heading of the MCP transports specification. */
export function mcpTransport(heading: string): Reference {
  return {
    reference: `MCP transports, ${heading}`,
    link: 'https://modelcontextprotocol.io/specification/2025-06-18/basic/transports',
  };
}

/** A heading of docs/, such as `settings.md#login`. */
export function docs(place: `${'settings' | 'errors'}.md#${string}`): Reference {
  return { reference: `docs/${place}`, link: undefined };
}
