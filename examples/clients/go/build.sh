mkdir -p crm
go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../openapi.json
test -z "$(gofmt -l main.go shop_agent.go)"
go vet ./...
go build -o synchronize .
