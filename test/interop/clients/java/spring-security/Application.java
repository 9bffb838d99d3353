package clients;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.user.OAuth2User;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Application {

    @GetMapping(path = "/", produces = "text/plain")
    String greet(@AuthenticationPrincipal OAuth2User user) {
        return "logged in\n%s\n%s\n".formatted(user.<String>getAttribute("name"), user.<String>getAttribute("email"));
    }

    public static void main(String[] arguments) {
        var toTest = System.out;
        // Spring Boot logs to standard output, which the test reads.
        System.setOut(System.err);
        var application = new SpringApplication(Application.class);
        application.setDefaultProperties(properties(JsonParserFactory.getJsonParser().parseMap(arguments[0])));
        application.addListeners((ApplicationListener<WebServerInitializedEvent>) event ->
                toTest.println("{\"login\":\"http://127.0.0.1:" + event.getWebServer().getPort() + "/\"}"));
        application.run();
    }

    private static Map<String, Object> properties(Map<String, Object> told) {
        var client = "spring.security.oauth2.client.";
        var properties = new HashMap<String, Object>(Map.of(
                "server.port", 0,
                client + "provider.idp.issuer-uri", told.get("issuer"),
                client + "registration.idp.client-id", told.get("clientId"),
                client + "registration.idp.client-secret", told.get("clientSecret")));
        if (told.get("said") instanceof Map<?, ?> said && said.get("scope") instanceof List<?> scope) {
            properties.put(client + "registration.idp.scope", scope);
        }
        return properties;
    }
}
