import { replayWorld } from '@quipu/broker/registry/replay.ts'
import type { MomentText } from '@quipu/contract'
import { barStart, CLOCK_END, DAY, formatInstant, HOUR, type Instant, later } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'

const NS_PER_MS = 1_000_000n

export const replayHandlers = {
  async replayClock({ params, body }, context) {
    const { world, clock } = context.services.worlds.entry(params.world) ?? {}
    if (!world) throw refuse({ code: 'worldNotFound', world: params.world })
    context.state.world = world
    if (!clock) throw refuse({ code: 'mainClockNotAdjustable' })
    const from = world.engine.latest
    // Events of an instant are a few nanoseconds after it, so the end of a replay may be before the latest event.
    const to = endOf(body.to, clock.now(), context)
    const { socket } = context.request
    const stop = (): void => clock.replays.stop()
    const timer = setTimeout(stop, Number(body.within / NS_PER_MS))
    socket.once('close', stop)
    const report = await replayWorld(
      { world, clock },
      {
        to,
        stepNs: body.step,
        allHours: body.sessions === 'all',
        rounds: body.rounds,
        thinkMs: Number(body.think / NS_PER_MS),
      },
    ).finally(() => {
      // A replay that failed must not stop a later one.
      clearTimeout(timer)
      socket.off('close', stop)
    })
    return context.state.read(world, ({ seq }) => ({
      world: world.id,
      from: formatInstant(from),
      now: formatInstant(world.engine.latest),
      finished: clock.now() >= to && !report.isStopped,
      mode: report.isExact ? ('exact' as const) : ('best_effort' as const),
      steps: report.steps,
      waits: report.waits,
      elapsed_ms: Math.round(report.elapsedMs),
      client_ms: Math.round(report.clientMs),
      seq,
    }))
  },
} satisfies SomeHandlers

/** The end of the replay; a date is the end of that day in New York. */
function endOf({ nanos, date }: MomentText, now: Instant, { services }: Context): Instant {
  const to = date === undefined ? nanos : barStart({ unit: 'day', count: 1 }, later(nanos, DAY + 12n * HOUR))
  const { advanceMaxDays } = services.limits
  if (to < now) throw refuse({ code: 'instantInPast', now: formatInstant(now), to: formatInstant(to) })
  if (to - now > BigInt(advanceMaxDays) * DAY)
    throw refuse({ code: 'advanceTooLong', limit: `${advanceMaxDays}d` })
  if (to > CLOCK_END) throw refuse({ code: 'clockEndReached', end: formatInstant(CLOCK_END) })
  return to
}
