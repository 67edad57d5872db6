import type { VirtualClock } from '@quipu/broker/clock/virtual.ts'
import { advanceWorld, type Move } from '@quipu/broker/registry/advance.ts'
import type { WorldEntry, Worlds } from '@quipu/broker/registry/worlds.ts'
import type { OutputOf } from '@quipu/contract'
import { CLOCK_END } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { isLive } from '../reading/formats.ts'
import { checked, clockEnd, moveOf } from './clock-moves.ts'
import { clockStream } from './world/live-worlds.ts'
import { advancedToWire, clockToWire } from './world/world-wire.ts'
import { entryOf } from './world-named.ts'

export const clockHandlers = (worlds: Worlds, advanceMaxDays: number) =>
  ({
    getWorldClock({ params }, context) {
      const entry = entryOf(worlds, params.world, context)
      return isLive(context) ? clockStream(context, worlds, entry) : clockToWire(entry)
    },

    async freezeClock({ params }, context) {
      const entry = entryOf(worlds, params.world, context)
      await virtualClock(entry).freeze()
      return clockToWire(entry)
    },

    async stopClock({ params }, context) {
      const entry = entryOf(worlds, params.world, context)
      await virtualClock(entry).stop()
      return clockToWire(entry)
    },

    runClock({ params, body }, context) {
      const entry = entryOf(worlds, params.world, context)
      const clock = virtualClock(entry)
      if (entry.world.engine.latest >= CLOCK_END) throw clockEnd()
      clock.run(Number(body.speed))
      return clockToWire(entry)
    },

    async advanceClock({ params, body }, context) {
      const entry = entryOf(worlds, params.world, context)
      virtualClock(entry)
      return advance(worlds, entry, await moveOf(entry.world, body, advanceMaxDays), context)
    },

    async setClock({ params, body }, context) {
      const entry = entryOf(worlds, params.world, context)
      const clock = virtualClock(entry)
      const to = checked(entry.world, body.to.nanos, advanceMaxDays)
      await clock.freeze()
      return advance(worlds, entry, { to, isAim: true }, context)
    },
  }) satisfies SomeHandlers

function virtualClock({ clock }: WorldEntry): VirtualClock {
  if (!clock) throw refuse({ code: 'mainClockNotAdjustable' })
  return clock
}

/** Advances the clock, and publishes the report to those who follow it. */
async function advance(
  worlds: Worlds,
  entry: WorldEntry,
  move: Move,
  context: Context,
): Promise<OutputOf<'advanceClock'>> {
  const { world } = entry
  const report = await context.state.resultOf(
    world,
    advanceWorld({ world, clock: virtualClock(entry) }, move),
  )
  worlds.changes.publish({ kind: 'advanced', world: world.id, report })
  return advancedToWire(world.id, report)
}
