// eval "$(npm run -s quipu -- env --all)" && npx node examples/oauth-app/app.ts
// A web app that users connect to their account: the code flow with PKCE, then an order for the user.
// In a fork, register an app with the partner key of the fork. People of main sign in there with the password of main.
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'

const { APCA_API_BASE_URL, OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, OAUTH_REDIRECT_URI } = process.env
if (!APCA_API_BASE_URL || !OAUTH_CLIENT_ID || !OAUTH_CLIENT_SECRET || !OAUTH_REDIRECT_URI)
  throw new Error('first: eval "$(npm run -s quipu -- env --all)"')
const broker: string = APCA_API_BASE_URL
const app = { client_id: OAUTH_CLIENT_ID, client_secret: OAUTH_CLIENT_SECRET }
const redirect_uri: string = OAUTH_REDIRECT_URI
const home = new URL(redirect_uri)

const random = (): string => randomBytes(32).toString('base64url')

/** Pending authorizations by visitor cookie. The callback must have the same state. */
const pending = new Map<string, { readonly state: string; readonly verifier: string }>()

type Page = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

/** Redirects the browser to the consent page of the broker. */
function connect(): Page {
  const [visitor, state, verifier] = [random(), random(), random()]
  pending.set(visitor, { state, verifier })
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri,
    scope: 'trading',
    env: 'paper',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return {
    status: 303,
    headers: {
      location: `${broker}/oauth/authorize?${query}`,
      'set-cookie': `visitor=${visitor}; HttpOnly; SameSite=Lax; Path=/; Max-Age=600`,
    },
  }
}

/** Handles the redirect back from the broker, with a code or an error. */
async function callback(request: IncomingMessage, query: URLSearchParams): Promise<Page> {
  const [, visitor = ''] = /(?:^|; )visitor=([^;]+)/.exec(request.headers.cookie ?? '') ?? []
  const authorization = pending.get(visitor)
  pending.delete(visitor)
  if (!authorization || query.get('state') !== authorization.state || query.get('iss') !== broker)
    return page(400, 'This response does not match a request of the app.')
  const code = query.get('code')
  if (!code) return page(200, `Not connected: ${query.get('error_description') ?? query.get('error')}`)
  const token = await exchange(code, authorization.verifier)
  const order = await buy(token)
  return page(
    200,
    `Connected. Order ${order.id}: ${order.side} ${order.qty} ${order.symbol}, ${order.status}.`,
  )
}

/** Exchanges the code for a token. A real app stores the token of each user in a safe place. */
async function exchange(code: string, code_verifier: string): Promise<string> {
  const fields = { grant_type: 'authorization_code', code, redirect_uri, code_verifier, ...app }
  const response = await fetch(`${broker}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) })
  const body = (await response.json()) as Record<string, string>
  if (!response.ok || !body['access_token']) throw new Error(`no token: ${body['error_description']}`)
  return body['access_token']
}

async function buy(token: string): Promise<Record<string, string>> {
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  const response = await fetch(`${broker}/v2/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
  const placed = (await response.json()) as Record<string, string>
  if (!response.ok) throw new Error(`no order: ${placed['message']}`)
  return placed
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
const page = (status: number, text: string, more = ''): Page => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><title>One share</title><h1>One share</h1><p>${escaped(text)}</p>${more}`,
})

async function answer(request: IncomingMessage): Promise<Page> {
  const { pathname, searchParams } = new URL(request.url ?? '/', home)
  if (pathname === '/connect') return connect()
  if (pathname === home.pathname) return callback(request, searchParams)
  return page(200, 'Buys a share of AAPL for you.', '<p><a href="/connect">Connect your account</a></p>')
}

createServer(async (request, response) => {
  const { status, headers, body } = await answer(request).catch((error: Error) => page(502, error.message))
  response.writeHead(status, headers).end(body)
}).listen(Number(home.port || 80), home.hostname, () => console.log(`open ${home.origin}`))
