// go run examples/go/start-broker/main.go quipu
//
// Starts a broker as a child process, creates a world in it, and ends it. Uses the standard library only.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
)

type started struct {
	URL          string `json:"url"`
	BrokerKey    string `json:"brokerKey"`
	BrokerSecret string `json:"brokerSecret"`
}

type world struct {
	World    string `json:"world"`
	Accounts []struct {
		KeyID     string `json:"key_id"`
		SecretKey string `json:"secret_key"`
	} `json:"accounts"`
}

func main() {
	command := os.Args[1:]
	if len(command) == 0 {
		log.Fatal("usage: start-broker COMMAND, such as quipu or npx quipu-broker")
	}
	flags := append(command[1:], "start", "--json", "--port", "0", "--data", "memory", "--exit-with-parent")
	broker := exec.Command(command[0], flags...)
	broker.Stderr = os.Stderr
	stdin, err := broker.StdinPipe()
	check(err)
	stdout, err := broker.StdoutPipe()
	check(err)
	check(broker.Start())

	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	check(err)
	var ready started
	check(json.Unmarshal(line, &ready))

	created := createWorld(ready, `{"seed":"go","cash":"10000"}`)
	fmt.Printf("%s has %d account\n", created.World, len(created.Accounts))

	check(stdin.Close())
	check(broker.Wait())
	fmt.Println("the broker ended with exit code", broker.ProcessState.ExitCode())
}

func createWorld(ready started, body string) world {
	request, err := http.NewRequest("POST", ready.URL+"/sim/v1/worlds", bytes.NewBufferString(body))
	check(err)
	request.SetBasicAuth(ready.BrokerKey, ready.BrokerSecret)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		log.Fatal("the world was refused: ", response.Status)
	}
	var created world
	check(json.NewDecoder(response.Body).Decode(&created))
	return created
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
