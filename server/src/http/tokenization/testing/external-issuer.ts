import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Json = any
export type ReceivedRequest = {
  readonly route: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Json
}
type Response = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** An issuer over real HTTP that accepts every request, unless a test sets `respond`. */
export type ExternalIssuer = {
  readonly url: string
  readonly requests: ReceivedRequest[]
  /** The response to a request, or undefined to accept it. The promise may never resolve. */
  respond: (request: ReceivedRequest) => Response | undefined | Promise<Response | undefined>
  close(): Promise<void>
}

export const listedTokens = [
  { underlying: 'AAPL', token: 'tAAPL', networks: ['base', 'solana'] },
  { underlying: 'MSFT', token: 'tMSFT', networks: ['base'] },
] as const

const accept = ({ route, body }: ReceivedRequest): Response => {
  if (route === 'GET /tokens') return { status: 200, body: { tokens: listedTokens } }
  if (route === 'POST /connect')
    return { status: 200, body: { client_external_account_id: `of ${body.email}` } }
  if (route === 'POST /mint')
    return {
      status: 200,
      body: { issuer_request_id: `iss-${body.tokenization_request_id}`, status: 'created' },
    }
  return route === 'POST /confirm' ? { status: 200 } : { status: 404, body: { error: 'no such path' } }
}

export async function openExternalIssuer(): Promise<ExternalIssuer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString()
      const route = `${request.method} ${request.url}`
      const received = { route, headers: request.headers, text, body: text ? JSON.parse(text) : undefined }
      issuer.requests.push(received)
      const { status, body = {}, headers = {} } = (await issuer.respond(received)) ?? accept(received)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer: ExternalIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    respond: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return issuer
}

export const urlsOf = ({ url }: Pick<ExternalIssuer, 'url'>) => ({
  mint_url: `${url}/mint`,
  confirm_url: `${url}/confirm`,
  connect_url: `${url}/connect`,
  tokens_url: `${url}/tokens`,
})
