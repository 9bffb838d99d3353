package clients;

import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.util.JSONArrayUtils;
import com.nimbusds.oauth2.sdk.util.JSONObjectUtils;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.AuthenticationResponse;
import com.nimbusds.openid.connect.sdk.AuthenticationResponseParser;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.UserInfoRequest;
import com.nimbusds.openid.connect.sdk.UserInfoResponse;
import com.nimbusds.openid.connect.sdk.claims.UserInfo;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import com.nimbusds.jose.JWSAlgorithm;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;

public class Application {

    private final OIDCProviderMetadata provider;
    private final ClientID clientID;
    private final Secret secret;
    private final Scope scope;
    private final URI callback;
    private final State state = new State();
    private final Nonce nonce = new Nonce();

    private Application(String told, URI callback) throws Exception {
        var values = JSONObjectUtils.parse(told);
        provider = OIDCProviderMetadata.resolve(new Issuer(JSONObjectUtils.getString(values, "issuer")));
        clientID = new ClientID(JSONObjectUtils.getString(values, "clientId"));
        secret = new Secret(JSONObjectUtils.getString(values, "clientSecret"));
        var said = JSONObjectUtils.getJSONObject(values, "said");
        scope = new Scope(JSONArrayUtils.toStringList(JSONObjectUtils.getJSONArray(said, "scope")).toArray(String[]::new));
        this.callback = callback;
    }

    private String login() {
        return new AuthenticationRequest.Builder(new ResponseType(ResponseType.Value.CODE), scope, clientID, callback)
                .endpointURI(provider.getAuthorizationEndpointURI())
                .state(state)
                .nonce(nonce)
                .build()
                .toURI()
                .toString();
    }

    private UserInfo person(URI answer) throws Exception {
        AuthenticationResponse response = AuthenticationResponseParser.parse(answer);
        if (!response.indicatesSuccess()) {
            throw new Exception(response.toErrorResponse().getErrorObject().toString());
        }
        if (!state.equals(response.getState())) {
            throw new Exception("another state");
        }
        OIDCTokenResponse tokens = redeem(response.toSuccessResponse().getAuthorizationCode());
        new IDTokenValidator(
                        provider.getIssuer(), clientID, JWSAlgorithm.RS256, provider.getJWKSetURI().toURL())
                .validate(tokens.getOIDCTokens().getIDToken(), nonce);
        var userInfo = UserInfoResponse.parse(
                new UserInfoRequest(provider.getUserInfoEndpointURI(), tokens.getOIDCTokens().getBearerAccessToken())
                        .toHTTPRequest()
                        .send());
        if (!userInfo.indicatesSuccess()) {
            throw new Exception(userInfo.toErrorResponse().getErrorObject().toString());
        }
        return userInfo.toSuccessResponse().getUserInfo();
    }

    private OIDCTokenResponse redeem(AuthorizationCode code) throws Exception {
        var request = new TokenRequest.Builder(
                        provider.getTokenEndpointURI(),
                        new ClientSecretBasic(clientID, secret),
                        new AuthorizationCodeGrant(code, callback))
                .build();
        var response = OIDCTokenResponseParser.parse(request.toHTTPRequest().send());
        if (!response.indicatesSuccess()) {
            throw new Exception(response.toErrorResponse().getErrorObject().toString());
        }
        return (OIDCTokenResponse) response.toSuccessResponse();
    }

    public static void main(String[] arguments) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var base = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        var application = new Application(arguments[0], base.resolve("/callback"));
        server.createContext("/login", exchange -> {
            exchange.getResponseHeaders().set("Location", application.login());
            exchange.sendResponseHeaders(302, -1);
        });
        server.createContext("/callback", page(exchange -> {
            UserInfo person = application.person(base.resolve(exchange.getRequestURI()));
            return "logged in\n%s\n%s\n".formatted(person.getName(), person.getEmailAddress());
        }));
        server.start();
        System.out.println("{\"login\":\"" + base + "/login\"}");
    }

    private interface Page {
        String textFor(HttpExchange exchange) throws Exception;
    }

    private static HttpHandler page(Page page) {
        return exchange -> {
            var status = 200;
            String text;
            try {
                text = page.textFor(exchange);
            } catch (Exception error) {
                status = 500;
                text = error.toString();
            }
            var body = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        };
    }
}
