import type { Client } from '@quipu/sdk'
import type { RunEvent, RunFault } from '@quipu/sdk/runs'
import type { Measured } from '../report/measured.ts'

const PAGE = 1000
const EVENTS_MAX = 50_000
/** Events that name credentials, people and other parts of the server. */
const HIDDEN =
  /^(key|app|user|session|grant|code|token|consent|partner|issuer|signing|totp|passkey|factor|credentials|link)/i

type EventsPage = Awaited<ReturnType<Client['listEvents']>>

/** Events of the account after event `from` of the world, without those of credentials. */
export async function accountEventsOf(measured: Measured, from: number): Promise<readonly RunEvent[]> {
  // The last page of a long history is usually enough.
  const last = await pageOf(measured, { last: PAGE })
  const isWhole = last.events.length < PAGE || (last.events[0]?.number ?? 0) <= from
  if (isWhole) return keptOf(last, from)
  const events: RunEvent[] = []
  let cursor: string | null = null
  do {
    const page: EventsPage = await pageOf(measured, cursor === null ? {} : { cursor })
    events.push(...keptOf(page, from))
    cursor = page.next_cursor
  } while (cursor !== null && events.length < EVENTS_MAX)
  return events.slice(0, EVENTS_MAX)
}

const pageOf = (
  { operator, world, accountId }: Measured,
  query: { readonly last?: number; readonly cursor?: string },
): Promise<EventsPage> =>
  operator.listEvents({ params: { world }, query: { account_id: accountId, limit: PAGE, ...query } })

const keptOf = ({ events }: EventsPage, from: number): readonly RunEvent[] =>
  events
    .filter(({ kind, number }) => number > from && !HIDDEN.test(kind))
    .map(({ kind, number, at, order_id, event }) => ({
      at,
      number,
      kind,
      event,
      ...(order_id && { order_id }),
    }))

export type FaultsMet = {
  readonly met: readonly RunFault[]
  readonly metCount: number
  readonly planned: number
}

/** The faults and market events of the world, and those that happened in the run. */
export async function runFaultsOf(
  { operator, world }: Measured,
  from: string,
  to: string,
): Promise<FaultsMet> {
  const params = { world }
  const [rules, events] = await Promise.all([
    operator.listFaults({ params }),
    operator.listMarketEvents({ params }),
  ])
  const isIn = (at: string): boolean => Date.parse(at) >= Date.parse(from) && Date.parse(at) <= Date.parse(to)
  const ofRules = rules.map(({ effect, name, consumed_at: times }): readonly RunFault[] =>
    times.filter(isIn).map((at) => ({ at, label: name ?? wordsOf(effect.kind), kind: 'fault' })),
  )
  const inSpan = events.flatMap(({ kind, symbol, from: begin, at = begin, on }): readonly RunFault[] => {
    const start = at ?? (on === undefined ? undefined : `${on}T14:30:00Z`)
    const label = symbol === undefined ? wordsOf(kind) : `${wordsOf(kind)} ${symbol}`
    return start !== undefined && Date.parse(start) >= Date.parse(from)
      ? [{ at: start, label, kind: 'market' }]
      : []
  })
  const happened = inSpan.filter(({ at }) => isIn(at))
  return {
    met: [...ofRules.flat(), ...happened].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    metCount: ofRules.filter(({ length }) => length > 0).length + happened.length,
    planned: rules.length + inSpan.length,
  }
}

/** `answer_lost` becomes `Answer lost`. */
const wordsOf = (kind: string): string => {
  const words = kind.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
