import { examples, type Operation, type OperationName, operations } from '@quipu/contract'

/** A part of an example that is code. */
class Expression {
  readonly code: string
  constructor(code: string) {
    this.code = code
  }
}

/** The example input of an operation. */
export type ExampleInput = {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export type Snippet = { readonly title: string; readonly language: string; readonly code: string }

export const inputOf = (name: OperationName): ExampleInput => examples[name].input as ExampleInput

/** The example of an operation in each language. All of them read the variables that `quipu env --all` prints. */
export const snippetsOf = (name: OperationName): readonly Snippet[] => [
  { title: 'curl', language: 'sh', code: curlOf(name) },
  { title: 'TypeScript', language: 'ts', code: typescriptOf(name) },
  { title: 'Python', language: 'python', code: pythonOf(name) },
]

type Credentials = readonly [keyId: string, secret: string] | undefined

/** The variables with the credentials that an operation needs. */
function credentialsOf({ who }: Operation): Credentials {
  if (who.includes('anyone')) return undefined
  return who.includes('account')
    ? ['APCA_API_KEY_ID', 'APCA_API_SECRET_KEY']
    : ['QUIPU_BROKER_KEY', 'QUIPU_BROKER_SECRET']
}

/** The path of the example, with its query. */
export function exampleUrl({ path }: Operation, { params = {}, query = {} }: ExampleInput): string {
  const filled = path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
}

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export function curlOf(name: OperationName): string {
  const declared: Operation = operations[name]
  const input = inputOf(name)
  const credentials = credentialsOf(declared)
  const parts = [
    `"$APCA_API_BASE_URL${exampleUrl(declared, input)}"`,
    ...(declared.method === 'GET' ? [] : [`-X ${declared.method}`]),
    ...curlCredentials(credentials),
    ...Object.entries(input.headers ?? {}).map(([key, value]) => `-H ${singleQuoted(`${key}: ${value}`)}`),
    ...curlBody(declared, input),
  ]
  return `curl ${parts.join(' \\\n  ')}`
}

/** Trading keys are headers, as in the protocol; keys of partners and operators are Basic. */
function curlCredentials(credentials: Credentials): readonly string[] {
  if (credentials === undefined) return []
  const [keyId, secret] = credentials
  return keyId === 'APCA_API_KEY_ID'
    ? [`-H "APCA-API-KEY-ID: $${keyId}"`, `-H "APCA-API-SECRET-KEY: $${secret}"`]
    : [`-u "$${keyId}:$${secret}"`]
}

function curlBody({ bodyKind }: Operation, { body }: ExampleInput): readonly string[] {
  if (body === undefined) return []
  if (bodyKind === 'bytes') return ['--data-binary @friday.quipu']
  if (bodyKind === 'form') {
    return Object.entries(body as object).map(
      ([key, value]) => `--data-urlencode ${singleQuoted(`${key}=${value}`)}`,
    )
  }
  return [`-H 'Content-Type: application/json'`, `-d ${singleQuoted(shortJson(body))}`]
}

export function typescriptOf(name: OperationName): string {
  const declared: Operation = operations[name]
  const { params, query, headers, body } = inputOf(name)
  const sent =
    declared.bodyKind === 'bytes' && body !== undefined
      ? new Expression("await readFile('friday.quipu')")
      : body
  const parts = Object.entries({ params, query, headers, body: sent }).filter(
    ([, part]) => part !== undefined,
  )
  const call = `await client.${name}(${parts.length === 0 ? '' : literal(Object.fromEntries(parts), scriptWords)})`
  const isEmpty = declared.output === undefined && declared.raw === undefined
  return [
    ...(sent instanceof Expression ? ["import { readFile } from 'node:fs/promises'"] : []),
    ...scriptClient(declared),
    '',
    isEmpty ? call : `console.log(${call})`,
  ].join('\n')
}

/** How a program makes the client: an account reads its variables, operators and partners name theirs. */
function scriptClient(declared: Operation): readonly string[] {
  const first = ["import { createQuipu } from '@quipu/sdk'", '']
  if (declared.who.includes('account') || declared.who.includes('anyone'))
    return [...first, 'const { client } = createQuipu()']
  return [
    ...first,
    "const { QUIPU_BROKER_KEY: keyId = '', QUIPU_BROKER_SECRET: secretKey = '' } = process.env",
    'const { client } = createQuipu({ keyId, secretKey })',
  ]
}

export function pythonOf(name: OperationName): string {
  const declared: Operation = operations[name]
  const { params = {}, query, headers = {}, body } = inputOf(name)
  const credentials = credentialsOf(declared)
  const isAccount = credentials?.[0] === 'APCA_API_KEY_ID'
  const sentHeaders = { ...(isAccount ? accountHeaders : {}), ...headers }
  const parts = [
    `env["APCA_API_BASE_URL"] + "${exampleUrl(declared, { params })}"`,
    ...(credentials === undefined || isAccount
      ? []
      : [`auth=(env["${credentials[0]}"], env["${credentials[1]}"])`]),
    ...(Object.keys(sentHeaders).length === 0 ? [] : [`headers=${literal(sentHeaders, pythonWords, '  ')}`]),
    ...(query === undefined ? [] : [`params=${literal(query, pythonWords, '  ')}`]),
    ...pythonBody(declared, body),
  ]
  const method = alpacaPy[name]
  return [
    'import requests',
    'from os import environ as env',
    '',
    `response = requests.${declared.method.toLowerCase()}(\n${parts.map((part) => `  ${part},\n`).join('')})`,
    `print(response.status_code, ${declared.output === undefined ? 'response.text' : 'response.json()'})`,
    ...(method === undefined ? [] : ['', `# With alpaca-py: ${method}`]),
  ].join('\n')
}

const accountHeaders = {
  'APCA-API-KEY-ID': new Expression('env["APCA_API_KEY_ID"]'),
  'APCA-API-SECRET-KEY': new Expression('env["APCA_API_SECRET_KEY"]'),
}

function pythonBody({ bodyKind }: Operation, body: unknown): readonly string[] {
  if (body === undefined) return []
  if (bodyKind === 'bytes') return ['data=open("friday.quipu", "rb")']
  return [`${bodyKind === 'form' ? 'data' : 'json'}=${literal(body, pythonWords, '  ')}`]
}

type Words = {
  readonly quote: "'" | '"'
  readonly constants: Readonly<Record<string, string>>
  readonly bareKeys: boolean
}
const scriptWords: Words = { quote: "'", constants: {}, bareKeys: true }
const pythonWords: Words = {
  quote: '"',
  constants: { true: 'True', false: 'False', null: 'None' },
  bareKeys: false,
}

const LINE_MAX = 76

/** A value as a literal of a language: on one line if it fits, else one field per line. */
function literal(value: unknown, words: Words, indent = ''): string {
  if (value instanceof Expression) return value.code
  if (typeof value === 'string') return quotedText(value, words.quote)
  if (typeof value !== 'object' || value === null) return words.constants[String(value)] ?? String(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((one) => literal(one, words, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => `${keyText(key, words)}: ${literal(one, words, inner)}`)
  const [open, close] = isList ? '[]' : '{}'
  const space = isList || words.quote === '"' ? '' : ' '
  const line = items.length === 0 ? `${open}${close}` : `${open}${space}${items.join(', ')}${space}${close}`
  if (line.length + indent.length <= LINE_MAX && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}

const keyText = (key: string, { bareKeys, quote }: Words): string =>
  bareKeys && /^[a-z_]\w*$/i.test(key) ? key : quotedText(key, quote)

const quotedText = (text: string, quote: string): string =>
  quote + JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`) + quote

/** JSON on one line, or with one field per line if it is long, indented below its flag. */
const shortJson = (value: unknown): string => {
  const line = JSON.stringify(value)
  return line.length <= LINE_MAX ? line : JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')
}

/** The same calls with the official Python SDK, where it has a method for the operation. */
const alpacaPy: Partial<Record<OperationName, string>> = {
  getAccount: 'TradingClient(…).get_account()',
  placeOrder: 'TradingClient(…).submit_order(LimitOrderRequest(…))',
  listOrders: 'TradingClient(…).get_orders(GetOrdersRequest(…))',
  getOrder: 'TradingClient(…).get_order_by_id(order_id)',
  replaceOrder: 'TradingClient(…).replace_order_by_id(order_id, ReplaceOrderRequest(…))',
  cancelOrder: 'TradingClient(…).cancel_order_by_id(order_id)',
  cancelAllOrders: 'TradingClient(…).cancel_orders()',
  listPositions: 'TradingClient(…).get_all_positions()',
  getPosition: 'TradingClient(…).get_open_position("AAPL")',
  closePosition: 'TradingClient(…).close_position("AAPL")',
  closeAllPositions: 'TradingClient(…).close_all_positions(cancel_orders=True)',
  listAssets: 'TradingClient(…).get_all_assets(GetAssetsRequest(…))',
  getAsset: 'TradingClient(…).get_asset("AAPL")',
  getClock: 'TradingClient(…).get_clock()',
  getCalendar: 'TradingClient(…).get_calendar(GetCalendarRequest(…))',
  listWatchlists: 'TradingClient(…).get_watchlists()',
  stockBars: 'StockHistoricalDataClient(…).get_stock_bars(StockBarsRequest(…))',
  stockQuotes: 'StockHistoricalDataClient(…).get_stock_quotes(StockQuotesRequest(…))',
  stockTrades: 'StockHistoricalDataClient(…).get_stock_trades(StockTradesRequest(…))',
  stockLatestTrades: 'StockHistoricalDataClient(…).get_stock_latest_trade(StockLatestTradeRequest(…))',
  stockLatestQuotes: 'StockHistoricalDataClient(…).get_stock_latest_quote(StockLatestQuoteRequest(…))',
  stockLatestBars: 'StockHistoricalDataClient(…).get_stock_latest_bar(StockLatestBarRequest(…))',
  stockSnapshots: 'StockHistoricalDataClient(…).get_stock_snapshot(StockSnapshotRequest(…))',
}
