package example;

import crm.ApiClient;
import crm.ApiException;
import crm.api.CapabilitiesApi;
import crm.api.CapabilitiesApi.APICapabilitiesGetRequest;
import crm.api.ChangesApi;
import crm.api.ChangesApi.APIChangesCursorRequest;
import crm.api.ChangesApi.APIChangesListRequest;
import crm.api.CompaniesApi;
import crm.api.CompaniesApi.APICompaniesUpsertRequest;
import crm.api.ContactsApi;
import crm.api.ContactsApi.APIContactsListRequest;
import crm.api.DealsApi;
import crm.model.CompanyUpsert;
import crm.model.DealCreate;
import crm.model.DealMove;
import crm.model.ErrorAnswer;
import crm.model.PipelineStageType;
import crm.model.Reference;
import crm.model.WrittenCompany;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;

public final class Synchronize {
  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("CRM_BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("CRM_TOKEN")));
    var changes = new ChangesApi(client);
    var position = changes.changesCursor(APIChangesCursorRequest.newBuilder().build()).getData().getCursor();

    var list = APIContactsListRequest.newBuilder().limit(10);
    var page = new ContactsApi(client).contactsList(list.build());
    var contacts = page.getData().size();
    while (page.getMeta().getNextCursor() != null) {
      page = new ContactsApi(client).contactsList(list.cursor(page.getMeta().getNextCursor()).build());
      contacts += page.getData().size();
    }

    var company = upsert(client, new CompanyUpsert().externalId("erp-java").industry("Furniture"));

    var deals = new DealsApi(client);
    var companies = new LinkedHashSet<>(List.of(new Reference().id(company.getId())));
    var deal = new DealCreate().title("Two hundred chairs").companies(companies);
    var created = deals.dealsCreate(once(), deal, null).getData();
    var move = new DealMove().expectedVersion(created.getVersion()).stageUuid(wonStage(client));
    var moved = deals.dealsMove(created.getId(), once(), move, null).getData();

    var kinds = new ArrayList<String>();
    for (var more = true; more; ) {
      var answer = changes.changesList(APIChangesListRequest.newBuilder().after(position).build());
      answer.getData().forEach(event -> kinds.add(event.getKind()));
      position = answer.getMeta().getNextCursor();
      more = answer.getMeta().getHasMore();
    }

    new ShopAgent(client, "erp-java").provide();

    System.out.printf("%d contacts, company at version %d, deal %s: %s%n",
        contacts, company.getVersion(), moved.getStatus(), String.join(" ", kinds));
  }

  private static UUID wonStage(ApiClient client) throws ApiException {
    return new CapabilitiesApi(client).capabilitiesGet(APICapabilitiesGetRequest.newBuilder().build()).getData().getDirectories().getPipelines().stream()
        .filter(pipeline -> pipeline.getIsDefault())
        .flatMap(pipeline -> pipeline.getStages().stream())
        .filter(stage -> stage.getType() == PipelineStageType.WON)
        .findFirst().orElseThrow().getUuid();
  }

  /** Creates the company, or changes its current version. */
  private static WrittenCompany upsert(ApiClient client, CompanyUpsert company) throws Exception {
    var companies = new CompaniesApi(client);
    var request = APICompaniesUpsertRequest.newBuilder().companyUpsert(company);
    try {
      return companies.companiesUpsert(request.idempotencyKey(once()).build()).getData();
    } catch (ApiException refused) {
      if (refused.getCode() != 428) throw refused;
      var answer = client.getObjectMapper().readValue(refused.getResponseBody(), ErrorAnswer.class);
      var known = answer.getError().getPreconditionRequiredFailure().getDetails().getCurrentVersion();
      company.expectedVersion(known);
      return companies.companiesUpsert(request.idempotencyKey(once()).build()).getData();
    }
  }

  private static String once() {
    return UUID.randomUUID().toString();
  }
}
