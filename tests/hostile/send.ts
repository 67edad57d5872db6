import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Body } from '../support/broker.ts'
import type { HostileRequest } from './inputs.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Body
}

/** Sends unchanged bytes; `fetch` would correct them. */
export function send(url: string, { method, path, headers, body }: HostileRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const length: Record<string, string> = body ? { 'content-length': String(body.length) } : {}
    const sent = request(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (response) => {
        // An event stream stays open, so its headers are the answer.
        if (response.headers['content-type'] === 'text/event-stream') {
          resolve({ status: response.statusCode!, headers: response.headers, text: '', body: undefined })
          response.destroy()
          return
        }
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.includes('json') && text !== ''
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text,
            body: isJson ? JSON.parse(text) : undefined,
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
