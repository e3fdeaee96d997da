package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type event struct {
	Type string
	Data struct {
		ResourceID string
		Version    int64
		Status     string
	}
}

var (
	seen     sync.Map             // In production a table with the webhook-id as its key, written before the answer.
	versions = map[string]int64{} // In production a column of your copies of the records.
	inbox    = make(chan event, 1000)
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	receive := func(response http.ResponseWriter, request *http.Request) {
		// The raw body: the signature covers its bytes, not the parsed JSON.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1_000_000))
		var received event
		if err != nil || webhook.Verify(body, request.Header) != nil || json.Unmarshal(body, &received) != nil {
			fmt.Println("refused")
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		if _, repeated := seen.LoadOrStore(request.Header.Get("webhook-id"), true); repeated {
			fmt.Println("repeated")
		} else {
			inbox <- received
		}
		response.WriteHeader(http.StatusNoContent)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "8080"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	go work()
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}

func work() {
	for received := range inbox {
		fmt.Println(apply(received))
	}
}

func apply(received event) string {
	record, version := received.Data.ResourceID, received.Data.Version
	switch {
	case received.Type == "feed.reset":
		return "read all records again"
	case version == 0: // About no record.
		return received.Type + " " + received.Data.Status
	case version < versions[record]:
		return "late"
	}
	versions[record] = version
	return fmt.Sprint(received.Type, " ", version)
}
