package example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public final class Receiver {
  private static final Webhook webhook = new Webhook(System.getenv("WEBHOOK_SECRET"));
  /** In production a table with the webhook-id as its key, written before the answer. */
  private static final Set<String> seen = ConcurrentHashMap.newKeySet();
  /** In production a column of your copies of the records. */
  private static final Map<String, Long> versions = new HashMap<>();
  private static final ExecutorService work = Executors.newSingleThreadExecutor();

  public static void main(String[] arguments) throws IOException {
    var port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", Receiver::receive);
    server.setExecutor(Executors.newFixedThreadPool(10));
    server.start();
    System.out.println("listening");
  }

  private static void receive(HttpExchange exchange) throws IOException {
    // The raw body: the signature covers its bytes, not the parsed JSON.
    var body = new String(exchange.getRequestBody().readNBytes(1_000_000), StandardCharsets.UTF_8);
    try {
      webhook.verify(body, exchange.getRequestHeaders());
    } catch (WebhookVerificationException refused) {
      System.out.println("refused");
      exchange.sendResponseHeaders(401, -1);
      return;
    }
    var event = new ObjectMapper().readTree(body);
    if (seen.add(exchange.getRequestHeaders().getFirst("webhook-id"))) {
      work.execute(() -> System.out.println(apply(event.path("type").asText(), event.path("data"))));
    } else {
      System.out.println("repeated");
    }
    exchange.sendResponseHeaders(204, -1);
  }

  private static String apply(String type, JsonNode data) {
    if (type.equals("feed.reset")) {
      return "read all records again";
    }
    var version = data.path("version").asLong();
    if (version == 0) { // About no record.
      return type + " " + data.path("status").asText();
    }
    var record = data.path("resourceId").asText();
    if (version < versions.getOrDefault(record, 0L)) {
      return "late";
    }
    versions.put(record, version);
    return type + " " + version;
  }
}
