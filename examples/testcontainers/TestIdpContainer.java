import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** test-idp as a container of a test: after {@code start()}, {@code getIssuer()} and {@code userToken("admin")}. */
public class TestIdpContainer extends GenericContainer<TestIdpContainer> {
  private static final int PORT = 8000;

  public TestIdpContainer(DockerImageName image) {
    super(image);
    withExposedPorts(PORT);
    waitingFor(Wait.forHealthcheck());
  }

  /** The base address, and the issuer of whoever asks there. */
  public String getIssuer() {
    return "http://" + getHost() + ":" + getMappedPort(PORT);
  }

  public String getDiscoveryUrl() {
    return getIssuer() + "/.well-known/openid-configuration";
  }

  /** The token response for a user, as JSON. */
  public String userToken(String user) throws IOException, InterruptedException {
    String name = URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
    return post("/api/users/" + name + "/token", "{}", "Content-Type", "application/json");
  }

  /** The token response for a client by its credentials, as JSON. */
  public String clientToken(String client, String secret) throws IOException, InterruptedException {
    String pair = client + ":" + secret;
    String basic = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    String form = "application/x-www-form-urlencoded";
    return post("/token", "grant_type=client_credentials", "Authorization", basic, "Content-Type", form);
  }

  private String post(String path, String body, String... headers) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(getIssuer() + path))
            .headers(headers)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() == 200) return answer.body();
    throw new IOException(path + " answered " + answer.statusCode() + " " + answer.body());
  }
}
