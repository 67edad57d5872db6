// eval "$(npm run -s quipu -- env)" && go run examples/go/first-order/main.go
//
// A first order with the standard library of Go.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type order struct {
	ID             string `json:"id"`
	Symbol         string `json:"symbol"`
	Status         string `json:"status"`
	FilledQty      string `json:"filled_qty"`
	FilledAvgPrice string `json:"filled_avg_price"`
}

func main() {
	var bought order
	call("POST", "/v2/orders", `{"symbol":"AAPL","qty":2,"side":"buy","type":"market","time_in_force":"day"}`, &bought)
	for bought.Status != "filled" {
		time.Sleep(50 * time.Millisecond)
		call("GET", "/v2/orders/"+bought.ID, "", &bought)
	}
	fmt.Printf("bought %s %s at %s\n", bought.FilledQty, bought.Symbol, bought.FilledAvgPrice)
}

func call(method, path, body string, result any) {
	base := os.Getenv("APCA_API_BASE_URL")
	if base == "" {
		log.Fatal(`first: eval "$(npm run -s quipu -- env)"`)
	}
	request, err := http.NewRequest(method, base+path, bytes.NewBufferString(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("APCA-API-KEY-ID", os.Getenv("APCA_API_KEY_ID"))
	request.Header.Set("APCA-API-SECRET-KEY", os.Getenv("APCA_API_SECRET_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode >= 300 {
		log.Fatalf("%s %s: %s %s", method, path, response.Status, text)
	}
	if err := json.Unmarshal(text, result); err != nil {
		log.Fatal(err)
	}
}
