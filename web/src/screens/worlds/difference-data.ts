import { signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { clocks } from '../../live/clock.ts'
import { place } from '../../router.ts'
import { operator } from '../../session/connections.ts'
import type { World } from '../../session/selection.ts'
import { accountIn, useThrottled } from './compare-data.ts'

export type WorldDifference = Output<'getWorldDifference'>
export type DifferenceRow = WorldDifference['rows'][number]
export type DifferenceOrder = NonNullable<DifferenceRow['world_order']>

type Read = { readonly world: string; readonly against: string; readonly found: WorldDifference }

export const readDifference = signal<Read | undefined>(undefined)
export const differenceProblem = signal<Error | undefined>(undefined)

const READ_MS = 1500
/** A running clock changes both worlds all the time. The server works at most this part of it on a comparison. */
const WORK_SHARE = 0.1

/** Reads the difference when a world is chosen, when time has passed, or when one of the two changed. */
export function useDifference(world: World, other: World | undefined): () => void {
  const [attempt, setAttempt] = useState(0)
  const pauseMs = useRef(READ_MS)
  const stamp = [world, other]
    .map((one) => (one ? `${one.world} ${one.seq} ${clocks.value.get(one.world)?.now}` : ''))
    .join()
  const settled = useThrottled(stamp, pauseMs.current)
  useEffect(() => {
    if (!other) return undefined
    const closing = new AbortController()
    const startMs = performance.now()
    void read(world, other, closing.signal).then(() => {
      pauseMs.current = Math.max(READ_MS, (performance.now() - startMs) / WORK_SHARE)
    })
    return () => closing.abort()
  }, [settled, world.world, other?.world, attempt])
  return () => setAttempt(attempt + 1)
}

async function read(world: World, other: World, signal: AbortSignal): Promise<void> {
  const against = other.world
  const account_id = accountIn(world)
  try {
    const call = {
      params: { world: world.world },
      query: { against, ...(account_id !== undefined && { account_id }) },
    }
    const found = await operator().client.getWorldDifference(call, { signal })
    if (signal.aborted) return
    readDifference.value = { world: world.world, against, found }
    differenceProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) differenceProblem.value = error as Error
  }
}

/** The chosen world; by default the parent, or a fork. */
export function otherOf(world: World, others: readonly World[]): World | undefined {
  const chosen = place.value.query.get('with')
  if (chosen !== null) return others.find((one) => one.world === chosen)
  return others.find((one) => one.world === world.parent) ?? others.find((one) => one.parent === world.world)
}
