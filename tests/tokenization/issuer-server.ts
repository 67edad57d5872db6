import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Body } from '../support/broker.ts'
import type { Received } from './verify-signature.ts'

export type Call = Received & { readonly path: string; readonly json: Body }
export type IssuerServerResponse = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A test issuer with custom paths. */
export type IssuerServer = {
  readonly url: string
  readonly calls: Call[]
  readonly urls: Readonly<Record<`${'connect' | 'tokens' | 'mint' | 'confirm'}_url`, string>>
  /** Returns another response than the default one, or never resolves. */
  respond: (call: Call) => IssuerServerResponse | undefined | Promise<IssuerServerResponse | undefined>
  /** Called after a response is sent. */
  answered: (call: Call) => void
  to(path: string): readonly Call[]
  close(): Promise<void>
}

export const MINT = '/inkind/issuance'
export const CONFIRM = '/inkind/issuance/confirm'

export async function openIssuerServer(): Promise<IssuerServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks)
      const { method = '', url: path = '', headers } = request
      const json = body.length > 0 ? JSON.parse(body.toString()) : undefined
      const call = { method, path, url: issuer.url + path, headers, body, json }
      issuer.calls.push(call)
      const received = (await issuer.respond(call)) ?? defaultResponse(call)
      response.writeHead(received.status, { 'content-type': 'application/json', ...received.headers })
      const content = received.body ?? ''
      response.end(typeof content === 'string' ? content : JSON.stringify(content), () =>
        issuer.answered(call),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: IssuerServer = {
    url,
    calls: [],
    urls: {
      connect_url: `${url}/accounts/connect`,
      tokens_url: `${url}/tokenized-assets`,
      mint_url: url + MINT,
      confirm_url: url + CONFIRM,
    },
    respond: () => undefined,
    answered: () => undefined,
    to: (path) => issuer.calls.filter((call) => call.path === path),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return issuer
}

/** The default response. Ids are derived from the request, so a repeated call has the same response. */
function defaultResponse({ path, json }: Call): IssuerServerResponse {
  if (path === '/tokenized-assets')
    return {
      status: 200,
      body: { tokens: [{ underlying: 'AAPL', token: 'tAAPL', networks: ['base', 'ethereum'] }] },
    }
  if (path === '/accounts/connect')
    return { status: 200, body: { client_external_account_id: `client of ${json.email}` } }
  if (path === MINT)
    return {
      status: 200,
      body: { issuer_request_id: `iss-${json.tokenization_request_id}`, status: 'created' },
    }
  return path === CONFIRM ? { status: 200 } : { status: 404, body: { error: 'no such path', status: 404 } }
}
