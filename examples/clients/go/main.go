package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"example.com/synchronize/crm"
	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"
)

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("CRM_TOKEN"))
	return nil
}

// expect returns a result that must exist.
func expect[Result any](result Result, err error) Result {
	if err != nil {
		panic(err)
	}
	return result
}

func wonStage(known *crm.CapabilitiesAnswer) (won openapi_types.UUID) {
	for _, pipeline := range known.Data.Directories.Pipelines {
		for _, stage := range pipeline.Stages {
			if pipeline.IsDefault && stage.Type == crm.PipelineStageTypeWon {
				won = stage.Uuid
			}
		}
	}
	return won
}

func main() {
	ctx, limit, industry := context.Background(), 10, "Furniture"
	api := expect(crm.NewClientWithResponses(os.Getenv("CRM_BASE_URL"), crm.WithRequestEditorFn(authorize)))

	position := expect(api.ChangesCursorWithResponse(ctx, nil)).JSON200.Data.Cursor
	page := expect(api.ContactsListWithResponse(ctx, &crm.ContactsListParams{Limit: &limit})).JSON200
	contacts := len(page.Data)
	for page.Meta.NextCursor != nil {
		params := crm.ContactsListParams{Limit: &limit, Cursor: page.Meta.NextCursor}
		page = expect(api.ContactsListWithResponse(ctx, &params)).JSON200
		contacts += len(page.Data)
	}

	company := crm.CompanyUpsert{ExternalId: "erp-go", Industry: &industry}
	once := uuid.NewString
	upserted := expect(api.CompaniesUpsertWithResponse(ctx, &crm.CompaniesUpsertParams{IdempotencyKey: once()}, company))
	if upserted.JSON428 != nil {
		failure := expect(upserted.JSON428.Error.AsPreconditionRequiredFailure())
		company.ExpectedVersion = &failure.Details.CurrentVersion
		upserted = expect(api.CompaniesUpsertWithResponse(ctx, &crm.CompaniesUpsertParams{IdempotencyKey: once()}, company))
	}
	stored := upserted.JSON200.Data

	deal := crm.DealCreate{Title: "Two hundred chairs", Companies: &[]crm.Reference{{Id: &stored.Id}}}
	created := expect(api.DealsCreateWithResponse(ctx, &crm.DealsCreateParams{IdempotencyKey: once()}, deal)).JSON201.Data
	won := wonStage(expect(api.CapabilitiesGetWithResponse(ctx, nil)).JSON200)
	move := crm.DealMove{ExpectedVersion: created.Version, StageUuid: won}
	moved := expect(api.DealsMoveWithResponse(ctx, created.Id, &crm.DealsMoveParams{IdempotencyKey: once()}, move)).JSON200.Data

	var kinds []string
	for more := true; more; {
		changes := expect(api.ChangesListWithResponse(ctx, &crm.ChangesListParams{After: position})).JSON200
		for _, event := range changes.Data {
			kinds = append(kinds, event.Kind)
		}
		position, more = changes.Meta.NextCursor, changes.Meta.HasMore
	}

	provideAgent(ctx, api, "erp-go")

	fmt.Printf("%d contacts, company at version %d, deal %s: %s\n", contacts, stored.Version, *moved.Status, strings.Join(kinds, " "))
}
