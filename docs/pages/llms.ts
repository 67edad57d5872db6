import { readFileSync } from 'node:fs'

/** `llms.txt`: what a language model needs to use Quipu, and the list of pages. The guides are those of docs/README.md. */
export function llmsText(): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const rows = [...readme.matchAll(/^\| \[([\w-]+)\]\((guides\/[\w-]+\.md)\) \| (.*?) \|$/gm)]
  const guides = rows.map(([, name, path, task]) => `- [${name}](docs/${path}): ${task}\n`).join('')
  return `${beforeGuides}${guides}${afterGuides}`
}

const beforeGuides = `# Quipu

> A brokerage server that you run yourself, compatible with the Alpaca API: trading, market data, streams, OAuth apps, tokenized assets. Its prices are synthetic or imported, its clock is yours, and it moves no real money. Programs for Alpaca work with it after one setting, or unmodified with \`quipu run\`.

Facts that programs need:

- \`npx quipu-broker start\` starts a server on http://127.0.0.1:7878; in a checkout it is \`npm ci && npm start\`. The npm package \`quipu\` belongs to somebody else.
- \`eval "$(quipu env)"\` sets APCA_API_BASE_URL, APCA_API_KEY_ID and APCA_API_SECRET_KEY. \`quipu env --all\` adds QUIPU_BROKER_KEY and QUIPU_BROKER_SECRET, the key of the operator.
- \`quipu start --json --port 0 --data memory --exit-with-parent\` is for programs: the first line on stdout is JSON with \`url\`, \`keyId\`, \`secretKey\`, \`brokerKey\`, \`brokerSecret\`.
- A world is an isolated broker with its own clock, market and accounts. \`POST /sim/v1/worlds\` creates one and returns its keys; the key selects the world. Orders in a world fill when its clock moves: \`POST /sim/v1/worlds/{world}/clock/advance\` with \`{"by":"1m"}\`.
- The same seed and the same calls give the same result. Compare journal hashes to prove it.
- A running server has the documentation and a page for every operation at \`/docs\`, each page also as Markdown (\`/docs/api/placeOrder.md\`), and OpenAPI 3.1 at \`/openapi.json\`. Errors have \`code\` and \`message\`; send a \`client_order_id\` and look it up after a lost response.

## Start

- [README](README.md): what it is, first order in curl, TypeScript, Python and Go
- [Tutorial](docs/tutorial.md): a bot in Node or Python through a year, a crash and drills
- [Examples](examples/README.md): programs to copy, each with the command that runs it

## Guides

`

const afterGuides = `
## Reference

- [Compatibility](docs/compatibility.md): every operation, channel and order kind of the protocol, and whether it works
- [Commands](docs/reference/cli.md), [settings](docs/reference/settings.md), [errors](docs/reference/errors.md)
- [Orders](docs/reference/orders.md), [fills](docs/reference/fills.md), [money](docs/reference/money.md), [market](docs/reference/market.md)
- [Limits](docs/limits.md), [glossary](docs/glossary.md)

## Optional

- [Architecture](ARCHITECTURE.md): the design and its invariants
- [Contributing](CONTRIBUTING.md), [security](SECURITY.md), [changelog](CHANGELOG.md)
`
