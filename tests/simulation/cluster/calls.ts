import http from 'node:http'
import { text } from 'node:stream/consumers'
import { credentials } from './node.ts'

export type Key = { readonly keyId: string; readonly secretKey: string }

// biome-ignore lint/suspicious/noExplicitAny: each check asserts the shape of the body that it expects
export type Body = any

/** A response; `closed` if the client received none. */
export type CallResponse =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: http.IncomingHttpHeaders
      readonly seq: number
      readonly body: Body
    }
  | { readonly kind: 'closed' }

/** A client does not wait longer than this. */
const PATIENCE_MS = 6_000

export const operator: Key = { keyId: credentials.brokerKey, secretKey: credentials.brokerSecret }

/** Sends one request and does not repeat it. */
export async function call(
  url: string,
  { keyId, secretKey }: Key,
  method: string,
  path: string,
  body?: object,
): Promise<CallResponse> {
  const headers = {
    'APCA-API-KEY-ID': keyId,
    'APCA-API-SECRET-KEY': secretKey,
    ...(body ? { 'Content-Type': 'application/json' } : {}),
  }
  const request = http.request(url + path, { method, headers, agent: false })
  const timer = setTimeout(() => request.destroy(new Error('the client gives up')), PATIENCE_MS)
  try {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      request.once('error', reject)
      request.end(body && JSON.stringify(body))
    })
    const content = await text(response)
    const isJson = String(response.headers['content-type']).includes('json')
    return {
      kind: 'answered',
      status: response.statusCode!,
      headers: response.headers,
      seq: Number(response.headers['x-quipu-seq'] ?? Number.NaN),
      body: content && isJson ? JSON.parse(content) : content,
    }
  } catch {
    return { kind: 'closed' }
  } finally {
    clearTimeout(timer)
  }
}
