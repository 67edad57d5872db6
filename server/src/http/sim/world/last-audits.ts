import type { World } from '@quipu/broker/world/world.ts'
import type { AuditRecord } from '@quipu/contract'

/** An audit and when it ended, by the clock of the machine. */
export type TimedAudit = { readonly at: string; readonly audit: AuditRecord }

const audits = new WeakMap<World, TimedAudit>()

/** Remembers the audit of a world until the server stops. A reset world has none. */
export function rememberAudit(world: World, audit: AuditRecord): void {
  audits.set(world, { at: new Date().toISOString(), audit })
}

export const lastAuditOf = (world: World): TimedAudit | undefined => audits.get(world)
