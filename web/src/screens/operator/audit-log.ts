import { effect, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { collect } from '../../live/frames.ts'
import type { FollowLog } from '../../live/reading.ts'
import { repeat } from '../../live/repeat.ts'
import { operator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'

export type Entry = Output<'listAuditLog'>['entries'][number]

/** Events that one page looks at, and pages that are read before the viewer must scroll again. */
const PAGE = 1000
const PAGES_MAX = 20
/** Entries that new ones on top leave in the list. */
const KEPT_MAX = 5000

/** The filters of the log, as the operation has them. */
export type LogFilters = { readonly operation: string; readonly caller: string; readonly address: string }
export const logFilters = signal<LogFilters>({ operation: '', caller: '', address: '' })

/** Newest first; undefined while they are read. */
export const entries = signal<readonly Entry[] | undefined>(undefined)
/** New entries that wait above the list, while the viewer has scrolled down. */
export const waiting = signal<readonly Entry[]>([])
export const logProblem = signal<Error | undefined>(undefined)
export const isAtTop = signal(true)

/** Events with a number up to this one are not read yet. */
let unread = 0
let isReading = false
let stop = new AbortController()

/** Follows the log of the world while the screen is open. Returns a function that ends it. */
export function followLog(): () => void {
  return effect(() => {
    void [worldName.value, logFilters.value]
    const closing = new AbortController()
    stop = closing
    entries.value = undefined
    waiting.value = []
    isReading = false
    void follow(closing.signal)
    return () => closing.abort()
  })
}

/**
 * The stream has no filters, because the other cards read again with each row of the log, and a browser allows few
 * connections.
 */
async function follow(signal: AbortSignal): Promise<void> {
  const params = { world: worldName.peek() }
  const notify = () => {
    for (const changed of listeners) changed()
  }
  const take = collect<Entry>((added) => {
    if (signal.aborted) return
    takeNew(added.filter(fits).reverse())
    notify()
  })
  let head: number | undefined
  await repeat(signal, async () => {
    try {
      if (head === undefined) {
        const { seq } = await operator().client.getJournalHead({ params }, { signal }).finally(notify)
        unread = seq
        entries.value = []
        await readOlder(signal)
        head = seq
      }
      logProblem.value = undefined
      const call = { params, query: { cursor: String(head) } }
      for await (const entry of operator().events.listAuditLog(call as never, { signal })) {
        head = entry.number
        take(entry)
      }
    } catch (error) {
      if (!signal.aborted) logProblem.value = error as Error
    }
  })
}

const listeners = new Set<() => void>()

/** Calls when the end of the log is known, and when it has new rows. */
export const followEntries: FollowLog = (_, signal, changed) => {
  listeners.add(changed)
  signal.addEventListener('abort', () => listeners.delete(changed))
}

/** Whether an entry passes the filters, by the rules of the operation. */
function fits(entry: Entry): boolean {
  const { operation, caller, address } = queryOf(logFilters.peek())
  const { key_id, partner_id, client_id, grant_id, user_id, session_id } = entry
  return (
    (operation === undefined || entry.operation === operation) &&
    (address === undefined || entry.address === address) &&
    (caller === undefined || [key_id, partner_id, client_id, grant_id, user_id, session_id].includes(caller))
  )
}

/** New entries go on top, or wait if the viewer has scrolled down. */
function takeNew(added: readonly Entry[]): void {
  if (isAtTop.peek()) show([...added, ...(entries.peek() ?? [])])
  else waiting.value = [...added, ...waiting.peek()].slice(0, KEPT_MAX)
}

/** Puts the waiting entries on top. */
export function showWaiting(): void {
  show([...waiting.peek(), ...(entries.peek() ?? [])])
  waiting.value = []
}

/** Shows the newest entries; the viewer reads older ones again by scrolling. */
function show(list: readonly Entry[]): void {
  entries.value = list.slice(0, KEPT_MAX)
  if (list.length > KEPT_MAX) unread = entries.value.at(-1)!.number - 1
}

/** Reads older entries. A page may hold none, so some pages are read until one does. */
export async function readOlder(signal: AbortSignal = stop.signal): Promise<void> {
  if (isReading || unread === 0) return
  isReading = true
  try {
    for (let page = 0; page < PAGES_MAX && unread > 0; page += 1) {
      const found = await readPage(signal)
      if (signal.aborted) return
      if (found.length === 0) continue
      entries.value = [...(entries.peek() ?? []), ...found.toReversed()]
      return
    }
  } catch (error) {
    if (!signal.aborted) logProblem.value = error as Error
  } finally {
    if (!signal.aborted) isReading = false
  }
}

/** The entries of the events before the oldest one that was read. */
async function readPage(signal: AbortSignal): Promise<readonly Entry[]> {
  const end = unread
  const start = Math.max(0, end - PAGE)
  const query = { ...queryOf(logFilters.peek()), cursor: String(start), limit: PAGE }
  const call = { params: { world: worldName.peek() }, query }
  const { entries: found } = await operator().client.listAuditLog(call as never, { signal })
  unread = start
  return found.filter(({ number }) => number <= end)
}

const queryOf = (filters: LogFilters): Partial<LogFilters> =>
  Object.fromEntries(
    Object.entries(filters)
      .map(([name, text]) => [name, text.trim()])
      .filter(([, text]) => text !== ''),
  )
