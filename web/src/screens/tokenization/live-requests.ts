import { computed, signal } from '@preact/signals'
import type { JournalEvent } from '@quipu/sdk'
import { useEffect } from 'preact/hooks'
import { collect } from '../../live/frames.ts'
import { calm, reading } from '../../live/reading.ts'
import { repeat } from '../../live/repeat.ts'
import { hrefOf, place } from '../../router.ts'
import { type Connection, operator } from '../../session/connections.ts'
import { api, worldName } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'
import {
  type AccountRequest,
  historiesOf,
  type Request,
  type WorldRequest,
  withHistory,
} from './request-steps.ts'
import { stateAfter } from './states.table.ts'

const LIST_MAX = 1000
const EVENTS_MAX = 1000
const kind = [
  ...Object.keys(stateAfter),
  'requestHeld',
  'requestReleased',
  'issuerRegistered',
  'chainFactsRecorded',
  'unmatchedTransferResolved',
]

/** An operator reads all requests of the world; anyone else those of the account. */
const reader = computed<Connection | undefined>(() => (isOperator.value ? operator() : api.value))
const inWorld = () => ({ params: { world: worldName.peek() } })

const listed = reading<readonly (AccountRequest | WorldRequest)[]>(async () =>
  isOperator.peek()
    ? operator().client.listWorldTokenizationRequests({
        ...inWorld(),
        query: { status: 'all', limit: LIST_MAX },
      })
    : ((await api.peek()?.client.getTokenizationRequests({ query: { limit: LIST_MAX } })) ?? []),
)
const events = signal<readonly JournalEvent[]>([])

/** The requests of the list, newest first. */
export const requests = {
  ...listed,
  value: computed<readonly Request[] | undefined>(() => {
    const histories = historiesOf(events.value)
    return listed.value.value?.map((request) => withHistory(request, histories))
  }),
}

/** All requests of the chosen account, for its holdings. */
export const accountRequests = reading<readonly AccountRequest[]>(
  async () => (await api.peek()?.client.getTokenizationRequests({ query: {} })) ?? [],
)
/** The tokens that the account can mint. */
export const tokens = reading(
  async () => (await api.peek()?.client.getTokenizationTokens({ query: {} })) ?? [],
)
export const issuers = reading(() => operator().client.listIssuers(inWorld()))
export const unmatched = reading(() => operator().client.listUnmatchedTransfers(inWorld()))
/** Shares in custody and tokens, by issuer and share. The audit calculates them from all postings. */
export const custody = reading(async () => (await operator().client.readAudit(inWorld())).tokenization)

/** An audit reads the whole ledger, so one runs at a time. */
let auditing: Promise<void> | undefined
let isAuditWanted = false

function readCustody(): void {
  if (auditing) {
    isAuditWanted = true
    return
  }
  auditing = custody.read().then(() => {
    auditing = undefined
    if (isAuditWanted) {
      isAuditWanted = false
      readCustody()
    }
  })
}

/** The address of a request, with the filter of the list. */
export const requestHref = (id: string): string =>
  hrefOf('tokenization', id, { show: place.value.query.get('show') ?? undefined })

export function readAll(): void {
  for (const one of [listed, accountRequests, tokens]) void one.read()
  if (!isOperator.peek()) return
  for (const one of [issuers, unmatched]) void one.read()
  readCustody()
}

/** Reads everything, and again after each event about tokenization. */
export function useTokenization(): void {
  const [connection, own, world] = [reader.value, api.value, worldName.value]
  useEffect(() => {
    for (const one of [listed, accountRequests, tokens, issuers, unmatched, custody]) one.clear()
    events.value = []
    if (!connection) return undefined
    const closing = new AbortController()
    void follow(connection, world, closing.signal)
    return () => closing.abort()
  }, [connection, own, world])
}

async function follow({ client, events: streams }: Connection, world: string, signal: AbortSignal) {
  const changed = calm(readAll, signal)
  const take = collect<JournalEvent>((added) => {
    if (signal.aborted) return
    events.value = [...events.peek(), ...added].slice(-EVENTS_MAX)
    changed()
  })
  const params = { world }
  await repeat(signal, async () => {
    try {
      const query = { kind, last: EVENTS_MAX, limit: EVENTS_MAX }
      const read = (await client.listEvents({ params, query }, { signal })).events
      if (signal.aborted) return
      events.value = read
      changed()
      const start = { kind, cursor: String(read.at(-1)?.number ?? 0) } as never
      for await (const event of streams.listEvents({ params, query: start }, { signal })) take(event)
    } catch (error) {
      if (!signal.aborted) listed.problem.value = error as Error
    }
  })
}
