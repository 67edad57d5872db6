import { type Client, createQuipu } from '@quipu/sdk'
import { type Comparison, compareEvents, compareFields, type Difference } from './compare.ts'
import type { RecordedRequest, RecordedUpdate, Recording } from './recording.ts'

export type CheckedRecording = {
  readonly requests: number
  readonly events: number
  readonly differences: readonly Difference[]
}

type World = {
  readonly url: string
  readonly world: string
  readonly keyId: string
  readonly secretKey: string
}

/** Plays the requests of a recording against a new world, at the same times of its clock, and compares the responses. */
export async function checkRecording(
  { operator, url }: { readonly operator: Client; readonly url: string },
  { world: settings, requests, updates }: Recording,
): Promise<CheckedRecording> {
  const { seed, hours, start, symbols } = settings
  const body = { seed, hours, start, ...(symbols && { symbols }) }
  const { world, accounts } = await operator.createWorld({ body })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  const received: RecordedUpdate[] = []
  const stream = createQuipu({ url, keyId, secretKey }).streams.tradeUpdates()
  stream.onMessage(({ event, order }) =>
    received.push({ ms: 0, event, client_order_id: order.clientOrderId }),
  )
  try {
    await stream.subscribe()
    const startMs = Date.parse(start)
    const advance = async (ms: number): Promise<unknown> => {
      const { now } = await operator.getWorldClock({ params: { world } })
      const to = new Date(Math.max(startMs + ms, Date.parse(now) + 1)).toISOString()
      // A replay waits until the stream has received all events.
      return operator.replayClock({ params: { world }, body: { to } })
    }
    const ids = new Map<string, string>()
    const comparison = { ids, comparesValues: settings.replayed === true }
    const differences = await play({ url, world, keyId, secretKey }, requests, advance, comparison)
    await advance(Math.max(0, ...updates.map(({ ms }) => ms)))
    return {
      requests: requests.length,
      events: updates.length,
      differences: [...differences, ...compareEvents(updates, received, ids)],
    }
  } finally {
    stream.close()
    await operator.deleteWorld({ params: { world } })
  }
}

async function play(
  world: World,
  requests: readonly RecordedRequest[],
  advance: (ms: number) => Promise<unknown>,
  comparison: Comparison,
): Promise<readonly Difference[]> {
  const differences: Difference[] = []
  let lastMs = 0
  for (const [index, recorded] of requests.entries()) {
    if (recorded.ms > lastMs) await advance(recorded.ms)
    lastMs = Math.max(lastMs, recorded.ms)
    const { status, answer: response } = await send(world, recorded, comparison.ids)
    const what = `${recorded.method} ${recorded.path}`
    const request = index + 1
    if (recorded.status !== undefined && recorded.status !== status)
      differences.push({ request, what, expected: String(recorded.status), received: String(status) })
    else if (recorded.answer !== undefined)
      for (const difference of compareFields(recorded.answer, response, comparison))
        differences.push({ ...difference, request, what: `${what}: ${difference.what}` })
  }
  return differences
}

async function send(
  { url, keyId, secretKey }: World,
  { method, path, body }: RecordedRequest,
  ids: ReadonlyMap<string, string>,
): Promise<{ readonly status: number; readonly answer: unknown }> {
  const named = (text: string): string =>
    text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => ids.get(id) ?? id)
  const response = await fetch(url + named(path), {
    method,
    headers: {
      'APCA-API-KEY-ID': keyId,
      'APCA-API-SECRET-KEY': secretKey,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: named(typeof body === 'string' ? body : JSON.stringify(body)) }),
  })
  const text = await response.text()
  return { status: response.status, answer: parsed(text) }
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
