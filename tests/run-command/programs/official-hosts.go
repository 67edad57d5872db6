// A program with Go's standard library. It knows nothing of Quipu. Its second client ignores proxies, as the trade
// updates of the official Go SDK do.
package main

import (
	"fmt"
	"net/http"
)

func get(client *http.Client, url string) {
	request, _ := http.NewRequest("GET", url, nil)
	request.Header.Set("APCA-API-KEY-ID", "PKWRITTENINTOPROGRAM")
	request.Header.Set("APCA-API-SECRET-KEY", "secret-of-the-program")
	response, err := client.Do(request)
	if err != nil {
		fmt.Println("not reached")
		return
	}
	fmt.Println(response.StatusCode)
}

func main() {
	get(http.DefaultClient, "https://paper-api.alpaca.markets/v2/account")
	get(&http.Client{Transport: &http.Transport{}}, "https://data.alpaca.markets/v2/stocks/AAPL/trades/latest")
}
