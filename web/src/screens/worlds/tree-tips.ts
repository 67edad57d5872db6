import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Decimal, decimal } from '../../format/decimal.ts'
import { clocks } from '../../live/clock.ts'
import { connect, operator } from '../../session/connections.ts'
import type { World } from '../../session/selection.ts'
import { accountIn, useThrottled } from './compare-data.ts'

/** The end of a branch: the equity of its first account, and when the orders of the account filled. */
export type Tip = { readonly equity: Decimal; readonly fills: readonly number[] }

export const tips = signal<ReadonlyMap<string, Tip>>(new Map())
export const tipsProblem = signal<Error | undefined>(undefined)

const READ_MS = 1500
const FILLS_MAX = 100

export const nowIn = ({ world, now }: World): number => Date.parse(clocks.value.get(world)?.now ?? now)

/** Reads the tips of these worlds again when one of them changed. Only a changed world is read. */
export function useTips(shown: readonly World[]): void {
  const stamps = shown.map(
    (world) => `${world.world} ${world.seq} ${clocks.value.get(world.world)?.now ?? world.now}`,
  )
  const settled = useThrottled(stamps.join(), READ_MS)
  useEffect(() => {
    const closing = new AbortController()
    void readTips(shown, stamps, closing.signal)
    return () => closing.abort()
  }, [settled])
}

const known = new Map<string, string>()

async function readTips(
  shown: readonly World[],
  stamps: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const changed = shown.filter(
    ({ world }, index) => known.get(world) !== stamps[index] || !tips.peek().has(world),
  )
  try {
    const read = await Promise.all(
      changed.map(async (world) => [world.world, await readTip(world, signal)] as const),
    )
    if (signal.aborted) return
    const next = new Map(tips.peek())
    for (const [name, tip] of read) if (tip) next.set(name, tip)
    for (const [index, { world }] of shown.entries()) known.set(world, stamps[index]!)
    tips.value = next
    tipsProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) tipsProblem.value = error as Error
  }
}

async function readTip(world: World, signal: AbortSignal): Promise<Tip | undefined> {
  const accountId = accountIn(world)
  if (accountId === undefined) return undefined
  const { client } = connect({ kind: 'account', world: world.world, accountId })
  const params = { world: world.world }
  const query = { account_id: accountId, status: 'closed', limit: FILLS_MAX } as const
  const [account, orders] = await Promise.all([
    client.getAccount(undefined, { signal }),
    operator().client.listWorldOrders({ params, query }, { signal }),
  ])
  const forkedMs = world.forked_at === undefined ? 0 : Date.parse(world.forked_at)
  const fills = orders
    .flatMap(({ filled_at: at }) => (at ? [Date.parse(at)] : []))
    .filter((at) => at > forkedMs)
    .toSorted((a, b) => a - b)
  return { equity: decimal(account.equity ?? '0'), fills }
}
