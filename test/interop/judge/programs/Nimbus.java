// The OAuth 2.0 SDK with OpenID Connect extensions (Nimbus): PKCE, state, issuer, nonce and the ID token validator. This
// program makes the comparisons that its documentation leaves to the application (state, subject of userinfo).
import com.nimbusds.jwt.JWT;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.AuthorizationGrant;
import com.nimbusds.oauth2.sdk.ErrorResponse;
import com.nimbusds.oauth2.sdk.RefreshTokenGrant;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenIntrospectionRequest;
import com.nimbusds.oauth2.sdk.TokenIntrospectionResponse;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.client.ClientRegistrationResponse;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.util.JSONObjectUtils;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.AuthenticationResponse;
import com.nimbusds.openid.connect.sdk.AuthenticationResponseParser;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.UserInfoRequest;
import com.nimbusds.openid.connect.sdk.UserInfoResponse;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientInformation;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientMetadata;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientRegistrationRequest;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientRegistrationResponseParser;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Date;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import net.minidev.json.JSONObject;

public class Nimbus {
  private static final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
  private static Map<String, Object> configuration;
  private static Issuer issuer;
  private static ClientID clientId;
  private static ClientAuthentication authentication;
  private static URI redirectUri;

  private record LoggedIn(OIDCProviderMetadata provider, OIDCTokenResponse answer, String subject) {}

  public static void main(String[] arguments) throws Exception {
    configuration = JSONObjectUtils.parse(arguments[0]);
    issuer = new Issuer(text("issuer"));
    clientId = new ClientID(text("clientId"));
    authentication = new ClientSecretBasic(clientId, new Secret(text("clientSecret")));
    redirectUri = URI.create(text("redirectUri"));
    trust(text("authority"));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String pace = JSONObjectUtils.parse(line).get("pace").toString();
      try {
        String user = gone(pace);
        say(user == null ? "lacks" : "user", user == null ? pace : user);
      } catch (Exception refusal) {
        say("refusal", refusal.getClass().getSimpleName() + ": " + refusal.getMessage());
      }
    }
  }

  private static String gone(String pace) throws Exception {
    return switch (pace) {
      case "login" -> userinfo(logIn());
      case "refresh" -> refresh(logIn());
      case "introspect" -> introspect(logIn());
      case "register" -> register();
      default -> null;
    };
  }

  private static LoggedIn logIn() throws Exception {
    OIDCProviderMetadata provider = OIDCProviderMetadata.resolve(issuer);
    CodeVerifier verifier = new CodeVerifier();
    State state = new State();
    Nonce nonce = new Nonce();
    AuthenticationRequest request =
        new AuthenticationRequest.Builder(ResponseType.CODE, new Scope("openid", "email"), clientId, redirectUri)
            .endpointURI(provider.getAuthorizationEndpointURI())
            .state(state)
            .nonce(nonce)
            .maxAge(3600)
            .codeChallenge(verifier, CodeChallengeMethod.S256)
            .build();
    AuthenticationResponse response = AuthenticationResponseParser.parse(URI.create(send(request.toURI().toString())));
    if (!state.equals(response.getState())) throw new Exception("another state");
    if (provider.supportsAuthorizationResponseIssuerParam() && !issuer.equals(response.getIssuer())) {
      throw new Exception("another issuer");
    }
    if (!response.indicatesSuccess()) throw refused(response.toErrorResponse());
    AuthorizationCode code = response.toSuccessResponse().getAuthorizationCode();
    OIDCTokenResponse answer = ask(provider, new AuthorizationCodeGrant(code, redirectUri, verifier));
    return new LoggedIn(provider, answer, subjectOf(provider, answer, nonce));
  }

  private static OIDCTokenResponse ask(OIDCProviderMetadata provider, AuthorizationGrant grant) throws Exception {
    TokenRequest request = new TokenRequest.Builder(provider.getTokenEndpointURI(), authentication, grant).build();
    TokenResponse answer = OIDCTokenResponseParser.parse(request.toHTTPRequest().send());
    if (!answer.indicatesSuccess()) throw refused(answer.toErrorResponse());
    return (OIDCTokenResponse) answer.toSuccessResponse();
  }

  private static String subjectOf(OIDCProviderMetadata provider, OIDCTokenResponse answer, Nonce nonce) throws Exception {
    OIDCClientInformation client = new OIDCClientInformation(clientId, new Date(), new OIDCClientMetadata(), null);
    client.getOIDCMetadata().applyDefaults();
    JWT idToken = answer.getOIDCTokens().getIDToken();
    return IDTokenValidator.create(provider, client).validate(idToken, nonce).getSubject().getValue();
  }

  private static String userinfo(LoggedIn login) throws Exception {
    var token = login.answer().getOIDCTokens().getBearerAccessToken();
    var request = new UserInfoRequest(login.provider().getUserInfoEndpointURI(), token);
    UserInfoResponse answer = UserInfoResponse.parse(request.toHTTPRequest().send());
    if (!answer.indicatesSuccess()) throw refused(answer.toErrorResponse());
    String subject = answer.toSuccessResponse().getUserInfo().getSubject().getValue();
    if (!subject.equals(login.subject())) throw new Exception("another subject at userinfo");
    return subject;
  }

  private static String refresh(LoggedIn login) throws Exception {
    var grant = new RefreshTokenGrant(login.answer().getOIDCTokens().getRefreshToken());
    return subjectOf(login.provider(), ask(login.provider(), grant), null);
  }

  private static String introspect(LoggedIn login) throws Exception {
    var token = login.answer().getOIDCTokens().getAccessToken();
    var request = new TokenIntrospectionRequest(login.provider().getIntrospectionEndpointURI(), authentication, token);
    TokenIntrospectionResponse answer = TokenIntrospectionResponse.parse(request.toHTTPRequest().send());
    if (!answer.indicatesSuccess()) throw refused(answer.toErrorResponse());
    if (!answer.toSuccessResponse().isActive()) throw new Exception("the token is not active");
    return answer.toSuccessResponse().getUsername();
  }

  private static String register() throws Exception {
    OIDCProviderMetadata provider = OIDCProviderMetadata.resolve(issuer);
    OIDCClientMetadata wanted = new OIDCClientMetadata();
    wanted.setRedirectionURI(redirectUri);
    wanted.applyDefaults();
    var request = new OIDCClientRegistrationRequest(provider.getRegistrationEndpointURI(), wanted, null);
    ClientRegistrationResponse answer = OIDCClientRegistrationResponseParser.parse(request.toHTTPRequest().send());
    if (!answer.indicatesSuccess()) throw refused(answer.toErrorResponse());
    return answer.toSuccessResponse().getClientInformation().getID().getValue();
  }

  private static Exception refused(ErrorResponse answer) {
    return new Exception("refused: " + answer.getErrorObject());
  }

  private static String send(String address) throws Exception {
    say("open", address);
    return JSONObjectUtils.parse(input.readLine()).get("answer").toString();
  }

  private static void say(String name, String value) {
    System.out.println(JSONObject.toJSONString(Map.of(name, value)));
    System.out.flush();
  }

  private static String text(String name) {
    return configuration.get(name).toString();
  }

  private static void trust(String file) throws Exception {
    KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
    authorities.load(null);
    try (FileInputStream stream = new FileInputStream(file)) {
      authorities.setCertificateEntry("judge", CertificateFactory.getInstance("X.509").generateCertificate(stream));
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(authorities);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
    HTTPRequest.setDefaultSSLSocketFactory(context.getSocketFactory());
  }
}
