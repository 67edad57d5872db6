import { signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Decimal, decimal } from '../../format/decimal.ts'
import { dayKey } from '../../format/times.ts'
import { clocks } from '../../live/clock.ts'
import type { Point } from '../../parts/chart-frame.ts'
import { connect, operator } from '../../session/connections.ts'
import type { World } from '../../session/selection.ts'
import { session } from '../../session/session.ts'

export type WorldOrder = Output<'listWorldOrders'>[number]

/** What is compared of one world: its first account. */
export type Compared = {
  readonly world: string
  readonly isVirtual: boolean
  /** Its clock is at a later day than the curves. */
  readonly isLater: boolean
  readonly nowMs: number
  readonly equity: Decimal
  readonly points: readonly Point[]
  readonly orders: readonly WorldOrder[]
}

export const comparedWorlds = signal<readonly Compared[] | undefined>(undefined)
export const compareProblem = signal<Error | undefined>(undefined)

const ORDERS_MAX = 500
/** A running clock changes all the time; the curves are read again after this time at the earliest. */
const READ_MS = 1500

/** Reads both worlds when one is chosen, when time has passed, or when its orders changed. */
export function useCompared(shown: readonly World[]): () => void {
  const [attempt, setAttempt] = useState(0)
  const changes = shown.map(({ world, seq }) => `${world} ${seq} ${clocks.value.get(world)?.now}`).join()
  const settled = useThrottled(changes, READ_MS)
  const names = shown.map(({ world }) => world).join()
  useEffect(() => {
    const closing = new AbortController()
    void read(shown, closing.signal)
    return () => closing.abort()
  }, [settled, names, attempt])
  return () => setAttempt(attempt + 1)
}

async function read(shown: readonly World[], signal: AbortSignal): Promise<void> {
  try {
    const first = shown[0] && accountIn(shown[0])
    // The curves are of one day: the last session of the world that is behind.
    const [behind, ...ahead] = shown.toSorted((a, b) => timeIn(a) - timeIn(b))
    const wanted = { wanted: first, day: undefined, signal }
    const base = behind && (await readOne(behind, wanted))
    const day = dayKey(base?.points.at(-1)?.[0] ?? base?.nowMs ?? 0)
    const others = await Promise.all(ahead.map((world) => readOne(world, { ...wanted, day })))
    const both = [base, ...others]
    if (signal.aborted) return
    comparedWorlds.value = both.filter((one) => one !== undefined)
    compareProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) compareProblem.value = error as Error
  }
}

/** The account of a world that this page may read. */
export function accountIn({ world, accounts }: World, wanted?: string): string | undefined {
  const known = session.peek()
  const ids =
    world === known?.world ? known.accounts.map(({ id }) => id) : accounts.map(({ account_id: id }) => id)
  return ids.find((id) => id === wanted) ?? ids[0]
}

const timeIn = ({ world, now }: World): number => Date.parse(clocks.peek().get(world)?.now ?? now)

type Wanted = {
  readonly wanted: string | undefined
  readonly day: string | undefined
  readonly signal: AbortSignal
}

async function readOne(world: World, { wanted, day, signal }: Wanted): Promise<Compared | undefined> {
  const accountId = accountIn(world, wanted)
  if (accountId === undefined) return undefined
  const { client } = connect({ kind: 'account', world: world.world, accountId })
  const nowMs = timeIn(world)
  const isLater = day !== undefined && dayKey(nowMs) !== day
  const range = day === undefined ? { period: '1D' } : { date_start: day, date_end: day }
  const query = { ...range, timeframe: '1Min', intraday_reporting: 'market_hours' } as const
  const [history, account, orders] = await Promise.all([
    client.getPortfolioHistory({ query }, { signal }),
    client.getAccount(undefined, { signal }),
    operator().client.listWorldOrders(
      { params: { world: world.world }, query: { account_id: accountId, status: 'all', limit: ORDERS_MAX } },
      { signal },
    ),
  ])
  const points = history.timestamp
    .map((at, index) => [Number(at) * 1000, Number(history.equity[index] ?? 0)] as const)
    .filter(([at, value]) => at <= nowMs && value !== 0)
  const isVirtual = world.clock === 'virtual'
  const equity = decimal(account.equity ?? '0')
  return { world: world.world, isVirtual, isLater, nowMs, equity, points, orders }
}

/** The value, at most once per interval; the last one always arrives. */
export function useThrottled(value: string, intervalMs: number): string {
  const [shown, setShown] = useState(value)
  const last = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  last.current = value
  useEffect(() => {
    if (value === shown || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      setShown(last.current)
    }, intervalMs)
  }, [value, shown])
  useEffect(() => () => clearTimeout(timer.current), [])
  return shown
}

/** When two worlds were still one; undefined if they never were. */
export function forkPointOf(a: World, b: World): number | undefined {
  const instants =
    a.parent === b.world
      ? [a.forked_at]
      : b.parent === a.world
        ? [b.forked_at]
        : a.parent !== undefined && a.parent === b.parent
          ? [a.forked_at, b.forked_at]
          : []
  const known = instants.filter((at) => at !== undefined).map((at) => Date.parse(at))
  return known.length === 0 ? undefined : Math.min(...known)
}

/** An order that only one world has, or that ended differently. */
export type Difference = {
  readonly key: string
  readonly atMs: number
  readonly left: WorldOrder | undefined
  readonly right: WorldOrder | undefined
}

export function differences(left: Compared, right: Compared): readonly Difference[] {
  const [ours, theirs] = [byClientId(left), byClientId(right)]
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .map((key) => ({ key, left: ours.get(key), right: theirs.get(key) }))
    .filter(({ left, right }) => !left || !right || resultOf(left) !== resultOf(right))
    .map((one) => ({ ...one, atMs: Math.max(...[one.left, one.right].map(changedAt)) }))
    .toSorted((a, b) => a.atMs - b.atMs)
}

const byClientId = ({ orders }: Compared): ReadonlyMap<string, WorldOrder> =>
  new Map(orders.map((order) => [order.client_order_id, order]))

const resultOf = ({
  status,
  filled_qty,
  filled_avg_price,
  limit_price,
  stop_price,
  qty,
}: WorldOrder): string => [status, filled_qty, filled_avg_price, limit_price, stop_price, qty].join()

const changedAt = (order: WorldOrder | undefined): number =>
  order === undefined
    ? 0
    : Date.parse(order.filled_at ?? order.canceled_at ?? order.submitted_at ?? order.created_at)
