import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, EPOCH, earlier, type Instant, later, nextCloseAfter, nextOpenAfter } from '@quipu/core'
import { type ClientActivity, ClientWait } from '../world/requests/client-requests.ts'
import type { WorldEntry } from './worlds.ts'

/**
 * How long clients that only read can extend a wait. After a wait that took longer, they extend no other wait of the replay:
 * otherwise they could stop the clock.
 */
const READERS_MS = 5000

export type ReplayOptions = {
  readonly to: Instant
  /** The longest time without a wait for clients. Absent: only events wait. */
  readonly stepNs?: bigint | undefined
  /** Steps at all hours, not only from the open to the close. */
  readonly allHours: boolean
  /** Pings that a client without acknowledgements answers in a row. */
  readonly rounds: number
  /** Real time to wait in addition. */
  readonly thinkMs: number
}

export type ReplayReport = {
  readonly steps: number
  /** Whether it was stopped before the clients were done at its end. */
  readonly isStopped: boolean
  readonly waits: number
  readonly isExact: boolean
  readonly elapsedMs: number
  readonly clientMs: number
}

/**
 * Replays a world in lock-step. At the end of each step, and at every instant at which a client was sent a message, the
 * clock waits until the clients are done and nothing that they caused is pending.
 */
export async function replayWorld(
  { world, clock }: Required<Pick<WorldEntry, 'world' | 'clock'>>,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const { to, rounds, thinkMs } = options
  const startMs = performance.now()
  let [waits, clientMs, exact, bestEffort] = [0, 0, 0, 0]
  let readersMs = READERS_MS
  let seen: ClientActivity = { traders: Number.NaN, readers: Number.NaN }
  const activity = (): ClientActivity => world.clients.requests.with(world.publisher.activity)
  const clientsDone = async (stopped: AbortSignal): Promise<void> => {
    if (thinkMs > 0) await sleep(thinkMs, undefined, { signal: stopped }).catch(() => undefined)
    const wait = new ClientWait({ rounds, stopped, looksAhead: thinkMs === 0, readersMs })
    if (!wait.isExtended(seen, activity())) return
    const sinceMs = performance.now()
    waits += 1
    for (let isFirst = true; wait.isExtended(seen, activity()) && !stopped.aborted; isFirst = false) {
      // What the clients caused may be sent to them only now. The clock has waited for its own effects.
      if (!isFirst) await world.commands.quiet()
      seen = activity()
      await world.clients.requests.none(wait)
      const done = await world.publisher.clientsDone(wait)
      exact += done.exact
      bestEffort += done.bestEffort
    }
    readersMs = wait.readersMs > 0 ? readersMs : 0
    clientMs += performance.now() - sinceMs
  }
  const { steps, isStopped } = await clock.replays.run({ to, stepAfter: stepsOf(options), clientsDone })
  const elapsedMs = performance.now() - startMs
  return { steps, isStopped, waits, isExact: exact > 0 && bestEffort === 0, elapsedMs, clientMs }
}

type StepAfter = (now: Instant) => Instant

/** The end of the step after an instant. */
export function stepsOf({
  to,
  stepNs,
  allHours,
}: Pick<ReplayOptions, 'to' | 'stepNs' | 'allHours'>): StepAfter {
  if (stepNs === undefined) return () => to
  if (allHours) return (now) => later(now, stepNs)
  if (stepNs >= DAY) return (now) => closeAfter(now, stepNs / DAY)
  let [open, close] = [EPOCH, EPOCH]
  return (now) => {
    if (now >= close) {
      close = nextCloseAfter(now)
      open = nextOpenAfter(earlier(close, DAY))
    }
    if (now < open) return open
    const next = later(open, ((now - open) / stepNs + 1n) * stepNs)
    return next < close ? next : close
  }
}

function closeAfter(now: Instant, days: bigint): Instant {
  let close = now
  for (let day = 0n; day < days; day++) close = nextCloseAfter(close)
  return close
}
