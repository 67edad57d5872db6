import { computed, effect, signal } from '@preact/signals'
import type { LedgerLeg, Output } from '@quipu/sdk'
import { collect } from '../../live/frames.ts'
import { oneAtATime } from '../../live/one-at-a-time.ts'
import { repeat } from '../../live/repeat.ts'
import { type Connection, operator } from '../../session/connections.ts'
import { account, api, isAccountMissing, worldName } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'
import { choice, MINE } from './ledger-choice.ts'

export type Balance = Output<'listBalances'>['balances'][number]

/** An operator reads the whole ledger; anyone else the own account. */
export const reader = computed<Connection | undefined>(() => (isOperator.value ? operator() : api.value))

export const balances = signal<readonly Balance[] | undefined>(undefined)
export const balancesProblem = signal<Error | undefined>(undefined)
/** The legs of the choice, oldest first. */
export const legs = signal<readonly LedgerLeg[] | undefined>(undefined)
/** Whether the legs begin with the first one of the journal. */
export const isComplete = signal(true)
export const legsProblem = signal<Error | undefined>(undefined)

const PAGE = 1000
const PAGES_MAX = 20
const LEGS_MAX = PAGE * PAGES_MAX

type Query = { readonly account_id?: string; readonly asset?: string; readonly order_id?: string }

/**
 * The filters of the API for the choice; undefined while the own account is not known. The house has no account id, so its
 * legs are selected here.
 */
const wanted = computed(() => {
  const { of, asset, order } = choice.value
  const mine = account.value?.id
  if (of === MINE && mine === undefined && !isAccountMissing.value) return undefined
  const accountId = of === MINE ? mine : of.length === 36 ? of : undefined
  return JSON.stringify({
    ...(accountId !== undefined && { account_id: accountId }),
    ...(asset !== undefined && { asset }),
    ...(order !== undefined && { order_id: order }),
  } satisfies Query)
})

/** Where the balances on screen are from. */
let shownOf: { readonly connection?: Connection | undefined; readonly world?: string } = {}

/** Reads balances and postings, and follows new postings. Returns a function that ends it. */
export function followLedger(): () => void {
  return effect(() => {
    const [connection, world, query] = [reader.value, worldName.value, wanted.value]
    if (shownOf.connection !== connection || shownOf.world !== world) balances.value = undefined
    shownOf = { connection, world }
    legs.value = undefined
    legsProblem.value = undefined
    if (!connection || query === undefined) return undefined
    const closing = new AbortController()
    readBalances()
    void follow(connection, world, JSON.parse(query) as Query, closing.signal)
    return () => closing.abort()
  })
}

async function follow(
  { client, events }: Connection,
  world: string,
  query: Query,
  signal: AbortSignal,
): Promise<void> {
  const params = { world }
  const take = collect<LedgerLeg>((added) => {
    if (signal.aborted) return
    takeLegs(added)
    readBalances()
  })
  await repeat(signal, async () => {
    try {
      const { read, after } = await readLegs(client, world, query, signal)
      legs.value = read
      legsProblem.value = undefined
      const start = { ...query, cursor: `${after}` }
      for await (const leg of events.listPostings({ params, query: start as never }, { signal })) take(leg)
    } catch (error) {
      if (!signal.aborted) legsProblem.value = error as Error
    }
  })
}

/** Adds new legs; the oldest ones of a long list are dropped. */
function takeLegs(added: readonly LedgerLeg[]): void {
  const all = [...(legs.peek() ?? []), ...added]
  if (all.length > LEGS_MAX) isComplete.value = false
  legs.value = all.slice(-LEGS_MAX)
}

type Read = { readonly read: readonly LedgerLeg[]; readonly after: number }

/** All legs; of a long journal only those of the last events. */
async function readLegs(
  client: Connection['client'],
  world: string,
  query: Query,
  signal: AbortSignal,
): Promise<Read> {
  const params = { world }
  const read: LedgerLeg[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const call = { ...query, limit: PAGE, ...(cursor !== undefined && { cursor }) }
    const { postings, next_cursor: next } = await client.listPostings(
      { params, query: call as never },
      { signal },
    )
    read.push(...postings)
    if (next === null) {
      isComplete.value = true
      return { read, after: Number(read.at(-1)?.number ?? cursor ?? 0) }
    }
    cursor = next
  }
  isComplete.value = false
  const { postings } = await client.listPostings(
    { params, query: { ...query, last: PAGE, limit: PAGE } as never },
    { signal },
  )
  return { read: postings, after: postings.at(-1)?.number ?? Number(cursor) }
}

/** Reads the balances. */
export const readBalances = oneAtATime(async () => {
  const [connection, world] = [reader.peek(), worldName.peek()]
  if (!connection) return
  try {
    const read = await allBalances(connection.client, world)
    if (reader.peek() !== connection || worldName.peek() !== world) return readBalances()
    balances.value = read
    balancesProblem.value = undefined
  } catch (error) {
    balancesProblem.value = error as Error
  }
})

const BALANCE_PAGES_MAX = 5

async function allBalances(client: Connection['client'], world: string): Promise<readonly Balance[]> {
  const read: Balance[] = []
  let cursor: string | undefined
  for (let page = 0; page < BALANCE_PAGES_MAX; page += 1) {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) }
    const { balances: rows, next_cursor: next } = await client.listBalances({
      params: { world },
      query,
    } as never)
    read.push(...rows)
    if (next === null) break
    cursor = next
  }
  return read
}
