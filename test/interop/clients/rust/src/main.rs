use anyhow::{Context, Result, anyhow, bail};
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreUserInfoClaims,
};
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, RedirectUrl, TokenResponse, reqwest,
};
use serde::Deserialize;
use std::collections::HashMap;
use tiny_http::{Header, Response, Server};
use url::Url;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    issuer: String,
    client_id: String,
    client_secret: String,
}

fn main() -> Result<()> {
    let told: Told = serde_json::from_str(&std::env::args().nth(1).context("nothing was told")?)?;
    let server = Server::http("127.0.0.1:0").map_err(|error| anyhow!(error))?;
    let base = format!("http://{}", server.server_addr());

    let http_client = reqwest::blocking::ClientBuilder::new()
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let provider = CoreProviderMetadata::discover(&IssuerUrl::new(told.issuer)?, &http_client)?;
    let client = CoreClient::from_provider_metadata(
        provider,
        ClientId::new(told.client_id),
        Some(ClientSecret::new(told.client_secret)),
    )
    .set_redirect_uri(RedirectUrl::new(format!("{base}/callback"))?);
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (login, state, nonce) = client
        .authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            CsrfToken::new_random,
            Nonce::new_random,
        )
        .set_pkce_challenge(challenge)
        .url();
    // Each is valid for one login.
    let mut verifier = Some(verifier);

    let mut greet = |address: &str| -> Result<String> {
        let answer: HashMap<_, _> = Url::parse(&format!("{base}{address}"))?
            .query_pairs()
            .into_owned()
            .collect();
        if answer.get("state") != Some(state.secret()) {
            bail!("another state");
        }
        let Some(code) = answer.get("code") else {
            bail!("no code: {:?}", answer.get("error"));
        };
        let tokens = client
            .exchange_code(AuthorizationCode::new(code.clone()))?
            .set_pkce_verifier(verifier.take().context("a second login")?)
            .request(&http_client)?;
        let id_token = tokens.id_token().context("no ID token")?;
        let id_token_verifier = client.id_token_verifier();
        let claims = id_token.claims(&id_token_verifier, &nonce)?;
        if let Some(expected) = claims.access_token_hash() {
            let actual = AccessTokenHash::from_token(
                tokens.access_token(),
                id_token.signing_alg()?,
                id_token.signing_key(&id_token_verifier)?,
            )?;
            if actual != *expected {
                bail!("the hash of another access token");
            }
        }
        let person: CoreUserInfoClaims = client
            .user_info(
                tokens.access_token().to_owned(),
                Some(claims.subject().to_owned()),
            )?
            .request(&http_client)?;
        let name = person.name().and_then(|name| name.get(None));
        Ok(format!(
            "logged in\n{}\n{}\n",
            name.map_or("", |name| name.as_str()),
            person.email().map_or("", |email| email.as_str()),
        ))
    };

    println!("{}", serde_json::json!({ "login": login }));
    for request in server.incoming_requests() {
        if !request.url().starts_with("/callback") {
            request.respond(Response::empty(404))?;
            continue;
        }
        let (status, text) = match greet(request.url()) {
            Ok(text) => (200, text),
            Err(error) => (500, format!("Error {error:#}")),
        };
        let plain = Header::from_bytes("Content-Type", "text/plain").expect("a header");
        request.respond(
            Response::from_string(text)
                .with_status_code(status)
                .with_header(plain),
        )?;
    }
    Ok(())
}
