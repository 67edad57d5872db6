export type BotLanguage = 'curl' | 'TypeScript' | 'Python' | 'Go'

type BotProgram = { readonly about: string; readonly code: string }

/** The three variables that clients of the Alpaca API read. */
export const keyVariables = (url: string, keyId = 'your key', secret = 'your secret'): string =>
  [
    `export APCA_API_BASE_URL=${url}`,
    `export APCA_API_KEY_ID=${quoted(keyId)}`,
    `export APCA_API_SECRET_KEY=${quoted(secret)}`,
  ].join('\n')

const quoted = (value: string): string => (/^[\w-]+$/.test(value) ? value : `"${value}"`)

/** A first request in each language, complete: saved as a file, it runs. All of them read the variables. */
export const botPrograms: Readonly<Record<BotLanguage, BotProgram>> = {
  curl: {
    about: 'In the shell that has the variables.',
    code: `curl "$APCA_API_BASE_URL/v2/account" \\
  -H "APCA-API-KEY-ID: $APCA_API_KEY_ID" \\
  -H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY"`,
  },
  TypeScript: {
    about: 'npm install @quipu/sdk, then node bot.ts.',
    code: `import { createQuipu } from '@quipu/sdk'

const quipu = createQuipu()
console.log((await quipu.account.get()).status)`,
  },
  Python: {
    about: 'Python alone. With alpaca-py: TradingClient(key, secret, paper=True, url_override=url).',
    code: `import json, os, urllib.request

url, key, secret = (os.environ["APCA_API_" + name] for name in ("BASE_URL", "KEY_ID", "SECRET_KEY"))
headers = {"APCA-API-KEY-ID": key, "APCA-API-SECRET-KEY": secret}
request = urllib.request.Request(url + "/v2/account", headers=headers)
print(json.load(urllib.request.urlopen(request))["status"])`,
  },
  Go: {
    about: 'Go alone. The client alpaca-trade-api-go/v3 reads the same variables.',
    code: `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", os.Getenv("APCA_API_BASE_URL")+"/v2/account", nil)
	request.Header.Set("APCA-API-KEY-ID", os.Getenv("APCA_API_KEY_ID"))
	request.Header.Set("APCA-API-SECRET-KEY", os.Getenv("APCA_API_SECRET_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status)
}`,
  },
}
