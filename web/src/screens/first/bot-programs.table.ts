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

/** A first request in each language. All of them read the variables. */
export const botPrograms: Readonly<Record<BotLanguage, BotProgram>> = {
  curl: {
    about: 'In the shell that has the variables.',
    code: `curl "$APCA_API_BASE_URL/v2/account" \\
  -H "APCA-API-KEY-ID: $APCA_API_KEY_ID" \\
  -H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY"`,
  },
  TypeScript: {
    about: 'npm install @quipu/sdk. The official package takes the same variables.',
    code: `import { createQuipu } from '@quipu/sdk'

const quipu = createQuipu()
console.log((await quipu.account.get()).status)`,
  },
  Python: {
    about: 'pip install alpaca-py. url_override is the only change of a program that runs elsewhere.',
    code: `import os
from alpaca.trading.client import TradingClient

key = os.environ["APCA_API_KEY_ID"], os.environ["APCA_API_SECRET_KEY"]
trading = TradingClient(*key, paper=True, url_override=os.environ["APCA_API_BASE_URL"])
print(trading.get_account().status)`,
  },
  Go: {
    about: 'go get github.com/alpacahq/alpaca-trade-api-go/v3. The client reads the variables.',
    code: `client := alpaca.NewClient(alpaca.ClientOpts{})
account, err := client.GetAccount()
fmt.Println(account, err)`,
  },
}
