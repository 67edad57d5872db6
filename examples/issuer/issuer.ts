// eval "$(npm run -s quipu -- env --all)" && npx node examples/issuer/issuer.ts
// A token issuer in one file: it registers with the broker, handles its calls, mints tokens and calls back.
import { createHash, createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const { APCA_API_BASE_URL, QUIPU_BROKER_KEY, QUIPU_BROKER_SECRET, ISSUER_PORT = '8000' } = process.env
if (!APCA_API_BASE_URL || !QUIPU_BROKER_KEY || !QUIPU_BROKER_SECRET)
  throw new Error('first: eval "$(npm run -s quipu -- env --all)"')
const operator = { id: QUIPU_BROKER_KEY, secret: QUIPU_BROKER_SECRET }

type Text = Readonly<Record<string, string>>
type IssuerResponse = readonly [status: number, body: object]

/** Clients that may mint: e-mail address → client id at this issuer. */
const clients = new Map([['ap@example.org', 'client-1']])
const tokens = [{ underlying: 'AAPL', token: 'oAAPL', networks: ['base', 'ethereum'] }]
/** Accepted mints by the request id of the broker. A repeated call returns the same mint. */
const mints = new Map<
  string,
  { readonly issuerRequestId: string; readonly request: Text; mintHash?: string }
>()

const routes: Readonly<Record<string, (body: Text) => IssuerResponse | Promise<IssuerResponse>>> = {
  'GET /tokens': () => [200, { tokens }],

  'POST /connect': ({ email = '' }) => {
    const client = clients.get(email)
    return client ? [200, { client_external_account_id: client }] : [404, { error: 'e-mail unknown' }]
  },

  'POST /mint': (request) => {
    const { tokenization_request_id: id = '', client_external_account_id: client = '' } = request
    if (![...clients.values()].includes(client))
      return [400, { error: 'Insufficient Eligibility: Client not eligible' }]
    const mint = mints.get(id) ?? { issuerRequestId: randomUUID(), request }
    mints.set(id, mint)
    return [200, { issuer_request_id: mint.issuerRequestId, status: 'created' }]
  },

  // `completed`: the issuer has the shares. Any other status ends the mint. The broker may repeat the call.
  'POST /confirm': ({ tokenization_request_id: id = '', status }) => {
    const mint = mints.get(id)
    if (!mint) return [404, { error: 'no such request' }]
    if (status === 'completed' && !mint.mintHash) {
      mint.mintHash = mintOnChain(mint.request)
      setImmediate(reportMint, id, mint.mintHash)
    }
    return [200, {}]
  },

  // Called by the program that watches the chain: tokens arrived in the redemption wallet.
  'POST /received': async ({ qty = '', wallet = '', tx_hash: hash = newHash() }) => {
    const redeem = {
      issuer_request_id: hash,
      underlying_symbol: 'AAPL',
      token_symbol: 'oAAPL',
      qty,
      network: 'base',
      wallet_address: wallet,
      tx_hash: hash,
      client_external_account_id: 'client-1',
    }
    return callBack('redeem', redeem, { 'Idempotency-Key': hash })
  },
}

/** A real issuer signs a transaction, stores it and sends it. */
function mintOnChain({ qty, token_symbol: token, wallet_address: wallet }: Text): string {
  console.log(`minted ${qty} ${token} to ${wallet}`)
  return newHash()
}
const newHash = () => `0x${randomBytes(32).toString('hex')}`

/** Repeats the callback until the broker accepts it. */
async function reportMint(id: string, hash: string): Promise<void> {
  const [status] = await callBack('mint', { tokenization_request_id: id, tx_hash: hash }).catch(() => [503])
  console.log(`the broker returned ${status}`)
  if (status === 429 || (status ?? 500) >= 500) setTimeout(reportMint, 1000, id, hash)
}

const callBack = (kind: 'mint' | 'redeem', body: object, headers: Text = {}): Promise<IssuerResponse> =>
  post(`/v1/accounts/${issuer.account_id}/tokenization/callback/${kind}`, body, issuerKey, headers)

async function post(
  path: string,
  body: object,
  key: typeof operator,
  headers: Text = {},
): Promise<IssuerResponse> {
  const basic = Buffer.from(`${key.id}:${key.secret}`).toString('base64')
  const response = await fetch(APCA_API_BASE_URL + path, {
    method: 'POST',
    headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return [response.status, (await response.json()) as object]
}

/** Checks the signature of the broker: RFC 9421 over method, URL and, with a body, content type and digest (RFC 9530). */
function isSigned({ method, url, headers }: IncomingMessage, body: string): boolean {
  const input = /^sig=((\([^)]*\));created=(\d+);.*)$/.exec(String(headers['signature-input']))
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  if (!input || (body && headers['content-digest'] !== digest)) return false
  const values: Text = {
    '@method': method!,
    '@target-uri': home + url,
    'content-type': String(headers['content-type']),
    'content-digest': digest,
  }
  const names = ['@method', '@target-uri', ...(body ? ['content-type', 'content-digest'] : [])]
  const isFresh = Math.abs(Date.now() / 1000 - Number(input[3])) < 300
  if (!isFresh || input[2] !== `(${names.map((name) => `"${name}"`).join(' ')})`) return false
  const base = [...names.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${input[1]}`]
  const signature = Buffer.from(String(headers['signature']).slice('sig=:'.length, -1), 'base64')
  return verify(null, Buffer.from(base.join('\n')), brokerKey, signature)
}

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const route = `${request.method} ${request.url}`
  const isOpen = route === 'POST /received'
  const run = routes[route]
  const [status, received] = !run
    ? ([404, { error: 'no such path' }] as const)
    : isOpen || isSigned(request, body)
      ? await run(body ? JSON.parse(body) : {})
      : ([401, { error: 'signature missing or wrong' }] as const)
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(received))
})
await once(server.listen(Number(ISSUER_PORT), '127.0.0.1'), 'listening')
const home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

// The broker signs its very first call, for the tokens, so its public key comes first. Same as `quipu issuer key`.
const tokenization = '/sim/v1/worlds/main/tokenization'
const [found, signingKey] = await post(`${tokenization}/signing-key`, {}, operator)
if (found !== 200) throw new Error(`the broker returned ${found}: ${JSON.stringify(signingKey)}`)
const brokerKey = createPublicKey((signingKey as Text).public_key!)

// Same as `quipu issuer create ondo --mint-url …`. Without an API key, the broker signs its calls.
const [created, received] = await post(
  `${tokenization}/issuers`,
  {
    issuer: 'ondo',
    mint_url: `${home}/mint`,
    confirm_url: `${home}/confirm`,
    connect_url: `${home}/connect`,
    tokens_url: `${home}/tokens`,
  },
  operator,
)
if (created !== 201) throw new Error(`the broker returned ${created}: ${JSON.stringify(received)}`)
const issuer = received as Text
const issuerKey = { id: issuer.key_id!, secret: issuer.secret_key! }
console.log(`ondo listens on ${home}; link an account:`)
console.log('  npm run -s quipu -- issuer link ondo ACCOUNT_ID --email ap@example.org')
