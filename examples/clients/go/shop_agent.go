package main

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"

	"example.com/synchronize/crm"
	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"
)

// provideAgent creates an agent that knows the products and rules of a shop. It is idempotent: repeated runs create no duplicates.
func provideAgent(ctx context.Context, api *crm.ClientWithResponses, name string) {
	sets := []openapi_types.UUID{provideProductSet(ctx, api, name)}
	bases := []openapi_types.UUID{provideKnowledgeBase(ctx, api, name)}
	for _, agent := range expect(api.AgentsListWithResponse(ctx, nil)).JSON200.Data {
		if agent.Name == name {
			return
		}
	}
	agent := crm.AgentCreate{Name: name, Instructions: "Answer briefly.", ProductSetIds: &sets, KnowledgeBaseIds: &bases}
	created := expect(api.AgentsCreateWithResponse(ctx, &crm.AgentsCreateParams{IdempotencyKey: uuid.NewString()}, agent))
	require(created.JSON201 != nil, created.Body)
}

func provideProductSet(ctx context.Context, api *crm.ClientWithResponses, name string) (id openapi_types.UUID) {
	for _, set := range expect(api.ProductsSetsListWithResponse(ctx, nil)).JSON200.Data {
		if set.Name == name {
			id = set.Id
		}
	}
	if id == uuid.Nil {
		params := &crm.ProductsSetsCreateParams{IdempotencyKey: uuid.NewString()}
		id = expect(api.ProductsSetsCreateWithResponse(ctx, params, crm.ProductSetCreate{Name: name})).JSON201.Data.Id
	}
	productId, price := "oak-chair", "149.00"
	product := crm.ProductCreate{Id: &productId, Name: "Oak chair", Price: &price}
	params := &crm.ProductsSetsProductsReplaceParams{IdempotencyKey: uuid.NewString()}
	replaced := expect(api.ProductsSetsProductsReplaceWithResponse(ctx, id, productId, params, product))
	if replaced.JSON404 != nil {
		params := &crm.ProductsSetsProductsCreateParams{IdempotencyKey: uuid.NewString()}
		created := expect(api.ProductsSetsProductsCreateWithResponse(ctx, id, params, product))
		require(created.JSON201 != nil, created.Body)
	} else {
		require(replaced.JSON200 != nil, replaced.Body)
	}
	return id
}

func provideKnowledgeBase(ctx context.Context, api *crm.ClientWithResponses, name string) (id openapi_types.UUID) {
	for _, base := range expect(api.KnowledgeBasesListWithResponse(ctx, nil)).JSON200.Data {
		if base.Name == name {
			id = base.Id
		}
	}
	if id == uuid.Nil {
		params := &crm.KnowledgeBasesCreateParams{IdempotencyKey: uuid.NewString()}
		id = expect(api.KnowledgeBasesCreateWithResponse(ctx, params, crm.KnowledgeBaseCreate{Name: name})).JSON201.Data.Id
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	fmt.Fprint(expect(form.CreateFormFile("file", "returns.txt")), "Chairs can be returned within 30 days.")
	expect(0, form.Close())
	params := &crm.KnowledgeBasesFilesPutParams{IdempotencyKey: uuid.NewString()}
	put := expect(api.KnowledgeBasesFilesPutWithBodyWithResponse(ctx, id, "returns", params, form.FormDataContentType(), &body))
	require(put.JSON200 != nil, put.Body)
	return id
}

// require ends the program and prints the answer if it is not the expected one.
func require(answered bool, body []byte) {
	if !answered {
		panic(string(body))
	}
}
