import type { World } from '@quipu/broker/world/world.ts'
import { type InputOf, LedgerBalance, type LedgerBalanceRecord } from '@quipu/contract'
import { type AccountId, format, type LedgerView, missing, type Posting } from '@quipu/core'
import { eventOwner, eventPosting } from '../../wire/numbered-event.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { eventStream, type Sink, sseMessage } from '../event-stream.ts'
import { eventSource } from './event-source.ts'
import { followReading } from './follow.ts'
import { isLive, readingFormat, rowsAs } from './formats.ts'
import { eventsOfOrder } from './order-events.ts'
import { accountFor, type Reader, readerOf } from './reader.ts'
import { openReader } from './readers.ts'

const COLUMNS = Object.keys(LedgerBalance.fields)

export const balanceHandlers = {
  async listBalances({ params, query: requested, headers }, context) {
    const reader = readerOf(context, params.world)
    const { world } = reader
    const query = { ...requested, account_id: accountFor(reader, requested.account_id) }
    if (isLive(context)) {
      openReader(context)
      const balances = await balancesNow(reader, context, query)
      return eventStream((sink) => sendBalances(world, balances, query, sink, headers['last-event-id']))
    }
    const { seq, sums } = await balancesNow(reader, context, query)
    const rows = [...sums.values()].map(rowOf).sort(byName)
    const { page, next } = paged(rows, query)
    const as = readingFormat(context, query.format)
    if (as !== 'json') return rowsAs(context, as, COLUMNS, page, next)
    return { balances: page, number: seq, next_cursor: next }
  },
} satisfies SomeHandlers

type BalancesQuery = Omit<InputOf<'listBalances'>['query'], 'account_id'> & {
  readonly account_id: AccountId | undefined
}
type Sum = { readonly account: string; readonly asset: string; amount: bigint }
type Sums = Map<string, Sum>

/** The durable balances, or the sums of the postings of one order. */
async function balancesNow(
  { world, limitedTo }: Reader,
  context: Context,
  query: BalancesQuery,
): Promise<{ readonly seq: number; readonly sums: Sums }> {
  if (query.order_id !== undefined) {
    const events = await eventsOfOrder(world, query.order_id, limitedTo)
    if (!events) throw refuse({ code: 'orderNotFound', id: query.order_id })
    const sums: Sums = new Map()
    for (const { event } of events.own) add(sums, eventPosting(event) ?? [], query)
    context.state.seq = events.upTo
    return { seq: events.upTo, sums }
  }
  const sums = await context.state.read(world, (view) => sumsOf(view.ledger, query))
  return { seq: context.state.seq ?? missing('the number of the state'), sums }
}

const isMine = (account: string, asset: string, query: BalancesQuery): boolean =>
  (query.asset === undefined || asset === query.asset) &&
  (query.account_id === undefined || eventOwner(account) === query.account_id)

const keyOf = (account: string, asset: string): string => `${account} ${asset}`

function sumsOf(ledger: LedgerView, query: BalancesQuery): Sums {
  const sums: Sums = new Map()
  for (const [account, holdings] of ledger)
    for (const [asset, amount] of holdings)
      if (isMine(account, asset, query)) sums.set(keyOf(account, asset), { account, asset, amount })
  return sums
}

/** Adds the legs of a posting and returns the changed sums. */
function add(sums: Sums, posting: Posting, query: BalancesQuery): Set<Sum> {
  const changed = new Set<Sum>()
  for (const { account, asset, amount } of posting) {
    if (!isMine(account, asset, query)) continue
    const key = keyOf(account, asset)
    const sum = sums.get(key) ?? { account, asset, amount: 0n }
    sum.amount += amount
    sums.set(key, sum)
    changed.add(sum)
  }
  return changed
}

function rowOf({ account, asset, amount }: Sum): LedgerBalanceRecord {
  return {
    ledger_account: account,
    account_id: eventOwner(account),
    asset,
    amount: format(amount),
  }
}

const nameOf = ({ ledger_account, asset }: LedgerBalanceRecord): string => keyOf(ledger_account, asset)
const byName = (a: LedgerBalanceRecord, b: LedgerBalanceRecord): number => (nameOf(a) < nameOf(b) ? -1 : 1)

/** The cursor is the name of the last row in base64url, which needs no escapes in a URL. */
function paged(rows: readonly LedgerBalanceRecord[], { cursor, last, limit }: BalancesQuery) {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString()
  const from =
    after === undefined
      ? last === undefined
        ? 0
        : Math.max(0, rows.length - last)
      : rows.findIndex((row) => nameOf(row) > after)
  const page = from < 0 ? [] : rows.slice(from, from + limit)
  const isEnd = from < 0 || from + limit >= rows.length
  const end = page.at(-1)
  return { page, next: isEnd || !end ? null : Buffer.from(nameOf(end)).toString('base64url') }
}

/** Sends all balances, then each changed one with the number of the event that changed it. */
async function sendBalances(
  world: World,
  { seq, sums }: { readonly seq: number; readonly sums: Sums },
  query: BalancesQuery,
  { write, signal }: Sink,
  lastEventId: string | undefined,
): Promise<void> {
  const messagesOf = (rows: Iterable<Sum>, number: number): string =>
    [...rows]
      .map((sum) => sseMessage('balance', JSON.stringify({ ...rowOf(sum), number }), `${number}`))
      .join('')
  // A client that reconnects without missed events does not get all balances again.
  if (lastEventId !== `${seq}`) await write(messagesOf(sums.values(), seq))
  const filter = {
    accountId: query.account_id,
    orderId: query.order_id,
  }
  for await (const events of followReading(eventSource(world, seq, filter), { signal }))
    for (const { seq: number, event } of events) {
      const changed = add(sums, eventPosting(event) ?? [], query)
      if (changed.size > 0) await write(messagesOf(changed, number))
    }
}
