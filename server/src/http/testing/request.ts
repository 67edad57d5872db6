import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'

export type ReceivedText = { readonly status: number; readonly headers: Headers; readonly text: string }

const plain = { send: httpRequest, agent: new Agent({ keepAlive: true }) }
const tls = { send: httpsRequest, agent: new TlsAgent({ keepAlive: true }) }

/**
 * Sends a request and reads the text of the response, like `fetch` without redirects, in a third of the CPU time.
 * A body without a type is sent as plain text.
 */
export async function request(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
): Promise<ReceivedText> {
  const sent = new Headers(headers)
  if (typeof body === 'string' && !sent.has('content-type'))
    sent.set('content-type', 'text/plain;charset=UTF-8')
  if (body !== undefined) sent.set('content-length', String(Buffer.byteLength(body)))
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { send, agent } = url.startsWith('https:') ? tls : plain
  send(url, { method, headers: Object.fromEntries(sent), agent }, resolve)
    .on('error', reject)
    .end(body)
  try {
    const response = await promise
    response.setEncoding('utf8')
    let text = ''
    for await (const part of response) text += part
    return { status: response.statusCode!, headers: headersOf(response), text }
  } catch (cause) {
    throw new TypeError('fetch failed', { cause })
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index]!, rawHeaders[index + 1]!)
  return headers
}
