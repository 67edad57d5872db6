// An issuer of tokens in one file: it sets itself up with the broker, is asked and told by it, mints, and calls back.
import { createHash, createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const { APCA_API_BASE_URL, QUIPU_BROKER_KEY, QUIPU_BROKER_SECRET, ISSUER_PORT = '8000' } = process.env
if (!APCA_API_BASE_URL || !QUIPU_BROKER_KEY || !QUIPU_BROKER_SECRET)
  throw new Error('first: eval "$(npm run -s quipu -- env --all)"')
const operator = { id: QUIPU_BROKER_KEY, secret: QUIPU_BROKER_SECRET }

type Text = Readonly<Record<string, string>>
type Answer = readonly [status: number, body: object]

/** Who may mint here, by the id we know them by. */
const clients = new Map([['ap@example.org', 'client-1']])
const tokens = [{ underlying: 'AAPL', token: 'oAAPL', networks: ['base', 'ethereum'] }]
/** What we promised to mint, by the broker's id of it: asked twice, it is one promise. */
const promised = new Map<string, { readonly ours: string; readonly asked: Text; minted?: string }>()

const routes: Readonly<Record<string, (body: Text) => Answer | Promise<Answer>>> = {
  'GET /tokens': () => [200, { tokens }],

  'POST /connect': ({ email = '' }) => {
    const client = clients.get(email)
    return client ? [200, { client_external_account_id: client }] : [404, { error: 'e-mail unknown' }]
  },

  'POST /mint': (asked) => {
    const { tokenization_request_id: id = '', client_external_account_id: client = '' } = asked
    if (![...clients.values()].includes(client))
      return [400, { error: 'Insufficient Eligibility: Client not eligible' }]
    const promise = promised.get(id) ?? { ours: randomUUID(), asked }
    promised.set(id, promise)
    return [200, { issuer_request_id: promise.ours, status: 'created' }]
  },

  // The shares are ours now, or nothing comes of it. It may be told more than once.
  'POST /confirm': ({ tokenization_request_id: id = '', status }) => {
    const promise = promised.get(id)
    if (!promise) return [404, { error: 'no such request' }]
    if (status === 'completed' && !promise.minted) {
      promise.minted = mintOnChain(promise.asked)
      setImmediate(tellMinted, id, promise.minted)
    }
    return [200, {}]
  },

  // Not the broker's: whoever watches the chain says here that tokens came to our redemption wallet.
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

/** A real one would sign a transaction, keep it, and send it. */
function mintOnChain({ qty, token_symbol: token, wallet_address: wallet }: Text): string {
  console.log(`minted ${qty} ${token} to ${wallet}`)
  return newHash()
}
const newHash = () => `0x${randomBytes(32).toString('hex')}`

/** Until the broker has heard it. */
async function tellMinted(id: string, hash: string): Promise<void> {
  const [status] = await callBack('mint', { tokenization_request_id: id, tx_hash: hash }).catch(() => [503])
  console.log(`the broker answered ${status}`)
  if (status === 429 || (status ?? 500) >= 500) setTimeout(tellMinted, 1000, id, hash)
}

const callBack = (what: 'mint' | 'redeem', body: object, headers: Text = {}): Promise<Answer> =>
  post(`/v1/accounts/${us.account_id}/tokenization/callback/${what}`, body, ours, headers)

async function post(path: string, body: object, key: typeof operator, headers: Text = {}): Promise<Answer> {
  const basic = Buffer.from(`${key.id}:${key.secret}`).toString('base64')
  const response = await fetch(APCA_API_BASE_URL + path, {
    method: 'POST',
    headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return [response.status, (await response.json()) as object]
}

/** Whether a call is the broker's: RFC 9421 over method, address and, with a body, its type and digest (RFC 9530). */
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
  return verify(null, Buffer.from(base.join('\n')), createPublicKey(us.public_key!), signature)
}

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const route = `${request.method} ${request.url}`
  const isOpen = route === 'GET /tokens' || route === 'POST /received'
  const run = routes[route]
  const [status, answer] = !run
    ? ([404, { error: 'no such path' }] as const)
    : isOpen || isSigned(request, body)
      ? await run(body ? JSON.parse(body) : {})
      : ([401, { error: 'who are you' }] as const)
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
})
await once(server.listen(Number(ISSUER_PORT), '127.0.0.1'), 'listening')
const home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

// As `quipu issuer create ondo --mint-url …` does; without an API key, calls to us are signed.
const [made, answer] = await post(
  '/sim/v1/worlds/main/tokenization/issuers',
  {
    issuer: 'ondo',
    mint_url: `${home}/mint`,
    confirm_url: `${home}/confirm`,
    connect_url: `${home}/connect`,
    tokens_url: `${home}/tokens`,
  },
  operator,
)
if (made !== 201) throw new Error(`the broker answered ${made}: ${JSON.stringify(answer)}`)
const us = answer as Text
const ours = { id: us.key_id!, secret: us.secret_key! }
console.log(`ondo listens on ${home}; let an account in:`)
console.log('  npm run -s quipu -- issuer link ondo ACCOUNT_ID --email ap@example.org')
