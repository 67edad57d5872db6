import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from '../support/broker.ts'

type Key = Pick<Started, 'keyId' | 'secretKey'>

/** What a client saw: requests by status, failed connections, and the longest wait. */
export type Observed = {
  readonly placed: string[]
  readonly problems: string[]
  requests: number
  slowestMs: number
}

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' }

/**
 * Places and reads orders with the fetch of Node, one request after the other at each URL, until it is stopped. It
 * does not repeat a request.
 */
export function startLoad(urls: readonly string[], key: Key, pauseMs = 30) {
  const observed: Observed = { placed: [], problems: [], requests: 0, slowestMs: 0 }
  let isStopped = false
  const request = async (url: string, body?: object) => {
    const startedMs = performance.now()
    try {
      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        headers: {
          'APCA-API-KEY-ID': key.keyId,
          'APCA-API-SECRET-KEY': key.secretKey,
          'Content-Type': 'application/json',
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status !== 200)
        observed.problems.push(`${url} ${response.status} ${text} after ${performance.now() - startedMs} ms`)
      return text
    } catch (error) {
      observed.problems.push(`${String(error)}: ${String((error as Error).cause)}`)
      return undefined
    } finally {
      observed.requests += 1
      observed.slowestMs = Math.max(observed.slowestMs, performance.now() - startedMs)
    }
  }
  const run = async (url: string) => {
    while (!isStopped) {
      const placed = await request(`${url}/v2/orders`, order)
      const { id } = JSON.parse(placed ?? '{}')
      if (id) observed.placed.push(id)
      if (id) await request(`${url}/v2/orders/${id}`)
      await sleep(pauseMs)
    }
  }
  const running = urls.map(run)
  return {
    observed,
    async stop(): Promise<Observed> {
      isStopped = true
      await Promise.all(running)
      return observed
    },
  }
}
