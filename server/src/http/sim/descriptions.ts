import type { Worlds } from '@quipu/broker/registry/worlds.ts'
import { definedFields } from '@quipu/core'
import type { SomeHandlers } from '../context.ts'
import { textsAsSet } from './world/description.ts'
import { worldToWire } from './world/world-wire.ts'
import { entryOf } from './world-named.ts'

export const descriptionHandlers = (worlds: Worlds) =>
  ({
    /** A fork that somebody describes is no longer temporary. */
    async updateWorld({ params, body }, context) {
      const entry = entryOf(worlds, params.world, context)
      const { title, note } = { ...entry.world.view.description, ...definedFields(body) }
      await context.state.execute(entry.world, { kind: 'describeWorld', ...textsAsSet({ title, note }) })
      return worldToWire(entry)
    },
  }) satisfies SomeHandlers
