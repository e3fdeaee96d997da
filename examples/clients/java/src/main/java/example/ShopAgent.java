package example;

import crm.ApiClient;
import crm.ApiException;
import crm.api.AgentsApi;
import crm.api.AgentsApi.APIAgentsListRequest;
import crm.api.KnowledgeBasesApi;
import crm.api.KnowledgeBasesApi.APIKnowledgeBasesListRequest;
import crm.api.ProductsSetsApi;
import crm.api.ProductsSetsApi.APIProductsSetsListRequest;
import crm.model.AgentCreate;
import crm.model.KnowledgeBaseCreate;
import crm.model.ProductCreate;
import crm.model.ProductSetCreate;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;

/** Creates an agent that knows the products and rules of a shop. It is idempotent: repeated runs create no duplicates. */
final class ShopAgent {
  private final ApiClient client;
  private final String name;

  ShopAgent(ApiClient client, String name) {
    this.client = client;
    this.name = name;
  }

  void provide() throws Exception {
    var sets = Set.of(productSet());
    var bases = Set.of(knowledgeBase());
    var agents = new AgentsApi(client);
    if (agents.agentsList(APIAgentsListRequest.newBuilder().build()).getData().stream().anyMatch(agent -> agent.getName().equals(name))) return;
    var agent = new AgentCreate().name(name).instructions("Answer briefly.").productSetIds(sets).knowledgeBaseIds(bases);
    agents.agentsCreate(once(), agent, null);
  }

  private UUID productSet() throws ApiException {
    var sets = new ProductsSetsApi(client);
    var known = sets.productsSetsList(APIProductsSetsListRequest.newBuilder().build()).getData().stream().filter(set -> set.getName().equals(name)).findFirst();
    var id = known.isPresent()
        ? known.get().getId()
        : sets.productsSetsCreate(once(), new ProductSetCreate().name(name), null).getData().getId();
    var product = new ProductCreate().name("Oak chair").price("149.00");
    try {
      sets.productsSetsProductsReplace(id, "oak-chair", once(), product, null);
    } catch (ApiException refused) {
      if (refused.getCode() != 404) throw refused;
      sets.productsSetsProductsCreate(id, once(), product.id("oak-chair"), null);
    }
    return id;
  }

  private UUID knowledgeBase() throws Exception {
    var bases = new KnowledgeBasesApi(client);
    var known = bases.knowledgeBasesList(APIKnowledgeBasesListRequest.newBuilder().build()).getData().stream().filter(base -> base.getName().equals(name)).findFirst();
    var id = known.isPresent()
        ? known.get().getId()
        : bases.knowledgeBasesCreate(once(), new KnowledgeBaseCreate().name(name), null).getData().getId();
    bases.knowledgeBasesFilesPut(id, "returns", once(), rules(), null);
    return id;
  }

  private static File rules() throws Exception {
    var file = Path.of("returns.txt");
    Files.writeString(file, "Chairs can be returned within 30 days.");
    return file.toFile();
  }

  private static String once() {
    return UUID.randomUUID().toString();
  }
}
