import { dayKey, minuteText, newYorkMs } from '../../format/times.ts'
import { clock, nowMs } from '../../live/clock.ts'
import type { Values } from '../../parts/fields.tsx'
import { toast } from '../../parts/toasts.tsx'
import { type EventKind, earliest, eventKinds, type Moment } from '../../screens/worlds/event-kinds.table.ts'
import { actingOperator } from '../../session/connections.ts'
import { world, worldName } from '../../session/selection.ts'
import { hasRole, isAuditor, isOperator, session } from '../../session/session.ts'
import { showNewWorld } from '../../shell/show-new-world.ts'

const MINUTE_MS = 60_000

/** Why the viewer may not act on the world; undefined: the viewer may. */
export function whyNotAct(): string | undefined {
  if (isAuditor.value) return 'You are an auditor, and change nothing.'
  if (isOperator.value) return undefined
  return hasRole.value
    ? 'Your operator rights have ended. Raise them under your name.'
    : `Only operators change a world. You are signed in as ${session.value?.name ?? 'a user'}.`
}

/** Why no market event can be planned; undefined: it can. */
export const whyNoEvent = (): string | undefined =>
  world.value?.market === 'replay'
    ? 'This world replays imported data, so its prices do not change.'
    : undefined

/** An event of the menu: its form, filled for an instant. */
export type EventAt = {
  readonly kind: EventKind
  readonly start: Values
  /** What the form knows about time: in a branch, the instant of the fork. */
  readonly moment: Moment
}

/** The form of an event at an instant: in a branch if the time is past, otherwise in this world. */
export function eventAt(title: 'Crash' | 'Halt' | 'Gap', atMs: number, symbol: string): EventAt {
  const kind = eventKinds.find((one) => one.title === title)!
  const now = nowMs.peek() ?? atMs
  const isPast = atMs <= now
  const current = { now, speed: clock.peek()?.speed ?? 0, nextOpenMs: clock.peek()?.nextOpenMs ?? now }
  const moment = isPast
    ? { now: atMs, speed: 0, nextOpenMs: openAfter(atMs) }
    : { ...current, nextOpenMs: openAfter(atMs) }
  const begins = isPast ? earliest(moment) : Math.max(floorMinute(atMs), earliest(moment))
  const own = { ...kind.start(moment), begins: minuteText(begins) }
  return {
    kind,
    moment: { ...moment, now: begins },
    start: title === 'Halt' ? { ...own, symbol } : own,
  }
}

const floorMinute = (atMs: number): number => atMs - (atMs % MINUTE_MS)

/** The next day with an open after an instant: weekends are skipped; the server knows holidays. */
function openAfter(atMs: number): number {
  let at = atMs
  for (;;) {
    const openMs = newYorkMs(dayKey(at), '09:30')
    const isWeekend = [0, 6].includes(new Date(openMs).getUTCDay())
    if (openMs > atMs && !isWeekend) return openMs
    at += 24 * 60 * MINUTE_MS
  }
}

/** Plans the event: in this world, or in a branch made by a fork at a past instant. Shows the branch. */
export async function planAt({ kind, moment }: EventAt, atMs: number, values: Values): Promise<void> {
  const { client } = actingOperator()
  const body = kind.body(values, moment)
  const from = worldName.peek()
  if (atMs > (nowMs.peek() ?? 0)) {
    await client.createMarketEvent({ params: { world: from }, body })
    toast(`${kind.title} planned at ${values['begins'] ?? values['on']}.`)
    return
  }
  const fork = await client.forkWorld({ params: { world: from }, body: { at: new Date(atMs).toISOString() } })
  const refused = await client.createMarketEvent({ params: { world: fork.world }, body }).then(
    () => undefined,
    (error: Error) => error,
  )
  const where = `Forked ${from} at ${minuteText(atMs)}. You see the fork ${fork.world}`
  toast(
    refused
      ? `${where}; the event was refused: ${refused.message}`
      : `${where}; ${kind.title.toLowerCase()} planned.`,
  )
  await showNewWorld(fork)
}
