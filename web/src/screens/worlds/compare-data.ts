import { signal } from '@preact/signals'
import { ApiError } from '@quipu/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Decimal, decimal } from '../../format/decimal.ts'
import { clocks } from '../../live/clock.ts'
import type { Point } from '../../parts/chart-frame.ts'
import { operator } from '../../session/connections.ts'
import type { World } from '../../session/selection.ts'
import { session } from '../../session/session.ts'

/** What is compared of one world: its first account. */
export type Compared = {
  readonly world: string
  readonly isVirtual: boolean
  readonly time: string
  readonly nowMs: number
  readonly equity: Decimal
  readonly points: readonly Point[]
}

export const comparedWorlds = signal<readonly Compared[] | undefined>(undefined)
export const compareProblem = signal<Error | undefined>(undefined)

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
    // Both are read at one instant: the time of the world that is behind.
    const [behind, ...ahead] = shown.toSorted((a, b) => timeIn(a) - timeIn(b))
    const base = behind && (await readOne(behind, { wanted: first, time: undefined, signal }))
    const others = await Promise.all(
      ahead.map((world) =>
        readOne(world, { wanted: first, time: base && millisecondEnd(base.time), signal }),
      ),
    )
    const both = [base, ...others]
    if (signal.aborted) return
    comparedWorlds.value = both.filter((one) => one !== undefined)
    compareProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) compareProblem.value = error as Error
  }
}

/** The difference of two worlds has whole milliseconds: events of a stopped clock are a nanosecond apart. */
const millisecondEnd = (time: string): string =>
  new Date(Date.parse(time)).toISOString().replace('Z', '999999Z')

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
  /** The instant; undefined: now. */
  readonly time: string | undefined
  readonly signal: AbortSignal
}

async function readOne(world: World, { wanted, time, signal }: Wanted): Promise<Compared | undefined> {
  const accountId = accountIn(world, wanted)
  if (accountId === undefined) return undefined
  const { client } = operator()
  const params = { world: world.world, account_id: accountId }
  const at = (instant: string | undefined) =>
    client.getAccountSnapshot(
      { params, query: { curve: '1D', ...(instant && { time: instant }) } },
      { signal },
    )
  // A world that is too far ahead is shown until its own time.
  const snapshot = await at(time).catch((error) => {
    if (time !== undefined && error instanceof ApiError && error.status < 500) return at(undefined)
    throw error
  })
  const nowMs = Date.parse(snapshot.time)
  const { timestamp = [], equity: values = [] } = snapshot.curve ?? {}
  const points = timestamp
    .map((seconds, index) => [Number(seconds) * 1000, Number(values[index] ?? 0)] as const)
    .filter(([at, value]) => at <= nowMs && value !== 0)
  return {
    world: world.world,
    isVirtual: world.clock === 'virtual',
    time: snapshot.time,
    nowMs,
    equity: decimal(snapshot.account.equity),
    points,
  }
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
