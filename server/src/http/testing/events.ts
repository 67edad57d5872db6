import assert from 'node:assert/strict'
import { call, type TestServer } from './server.ts'
import { waitUntil } from './wait-until.ts'

/** The server and the credentials of a reader. */
export type ClientOptions = { readonly url: string; readonly keyId: string; readonly secretKey: string }

// biome-ignore lint/suspicious/noExplicitAny: events have many shapes
export type EventData = any

/** A minimal client of server-sent events for tests: it reads line by line and only `data: ` lines. */
export class Reader {
  readonly events: EventData[] = []
  readonly comments: string[] = []
  status = 0
  type: string | null = ''
  body: EventData
  /** How the stream ended: by the server, or by a broken connection. */
  readonly outcome: Promise<'ended' | 'broken' | 'refused'>
  readonly #leaving = new AbortController()

  constructor(path: string, options: ClientOptions, headers: Record<string, string> = {}) {
    this.outcome = this.#read(path, options, headers)
  }

  leave(): void {
    this.#leaving.abort()
  }

  async waitFor(count: number): Promise<EventData[]> {
    await waitUntil(`${count} events`, () => this.events.length >= count)
    return this.events
  }

  async #read(path: string, { url, keyId, secretKey }: ClientOptions, headers: Record<string, string>) {
    try {
      const response = await fetch(`${url}${path}`, {
        headers: { 'apca-api-key-id': keyId, 'apca-api-secret-key': secretKey, ...headers },
        signal: this.#leaving.signal,
      })
      this.status = response.status
      this.type = response.headers.get('content-type')
      if (this.type !== 'text/event-stream') {
        this.body = await response.json()
        return 'refused'
      }
      let rest = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop()!
        for (const line of lines)
          if (line.startsWith('data: ')) this.events.push(JSON.parse(line.slice(6)))
          else if (line.startsWith(':')) this.comments.push(line)
      }
      return 'ended'
    } catch {
      return 'broken'
    }
  }
}

export const TRADES = '/v2/events/trades'
export const ACTIVITIES = '/v2beta1/events/activities'

/** Buys one share `count` times, then advances the clock by one second. */
export async function trade(server: TestServer, count = 1, key = server.key): Promise<void> {
  const body = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  for (let number = 0; number < count; number++)
    assert.equal((await call(server, 'POST /v2/orders', { key, body })).status, 200)
  await server.clock.advance((server.clock.now() + 1_000_000_000n) as never)
}

export const ids = (events: readonly EventData[]): readonly string[] => events.map(({ event_id: id }) => id)
