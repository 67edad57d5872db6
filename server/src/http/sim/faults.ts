import type { FaultRule } from '@quipu/broker/faults/rule.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { faultsOf } from '@quipu/broker/world/world-faults.ts'
import { refuse } from '../../wire/refusal.ts'
import { ruleFrom, ruleToWire } from './fault-rule.ts'
import { withWorld } from './world-named.ts'

export const faultHandlers = withWorld({
  listFaults: ({ world }) => (world.clients.faults?.all() ?? []).map(ruleToWire),

  createFault({ world, body }, context) {
    const parts = ruleFrom(body)
    const { faultsMax } = context.services.limits
    if ((world.clients.faults?.created ?? 0) >= faultsMax)
      throw refuse({ code: 'faultLimitReached', limit: faultsMax })
    const rule = faultsOf(world).create(parts, world.clock.now())
    context.services.connections.sockets.meetFault(world, rule)
    return ruleToWire(rule)
  },

  deleteFaults({ world }) {
    const { faults } = world.clients
    for (const rule of faults?.all() ?? []) faults?.delete(rule)
  },

  getFault: ({ world, params }) => ruleToWire(ruleOf(world, params.fault_id)),

  deleteFault({ world, params }) {
    const rule = ruleOf(world, params.fault_id)
    world.clients.faults?.delete(rule)
  },
})

function ruleOf({ clients }: World, id: string): FaultRule {
  const rule = /^[1-9]\d{0,14}$/.test(id) ? clients.faults?.get(Number(id)) : undefined
  if (!rule) throw refuse({ code: 'faultNotFound', id })
  return rule
}
