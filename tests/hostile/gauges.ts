import assert from 'node:assert/strict'
import type { Broker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

/** The value of a metric of the process, summed over its labels. */
export async function gauge({ url, brokerKey, brokerSecret }: Broker, name: string): Promise<number> {
  const headers = { 'APCA-API-KEY-ID': brokerKey, 'APCA-API-SECRET-KEY': brokerSecret }
  const text = await (await fetch(`${url}/metrics`, { headers })).text()
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  )
  return values.reduce((sum, value) => sum + value, 0)
}

const MIB = 1024 * 1024
export const residentMiB = async (broker: Broker): Promise<number> =>
  Math.round((await gauge(broker, 'process_resident_memory_bytes')) / MIB)

/** Connections that the HTTP pool of this test keeps open. */
const POOL_MAX = 4

/** The process runs, has closed every connection but those of this test, and its memory growth is bounded. */
export async function assertUnharmed(broker: Broker, beforeMiB: number, growthMaxMiB: number): Promise<void> {
  assert.equal(broker.process.exitCode, null)
  await waitUntil(
    'all connections are closed',
    async () => (await gauge(broker, 'quipu_open_connections')) <= POOL_MAX,
  )
  await waitUntil(`no more than ${growthMaxMiB} MiB above ${beforeMiB}`, async () => {
    return (await residentMiB(broker)) <= beforeMiB + growthMaxMiB
  })
  assert.doesNotMatch(broker.log(), /"level":"error"/)
}
