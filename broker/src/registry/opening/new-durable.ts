import { randomInt } from 'node:crypto'
import type { WorldId } from '@quipu/core'
import { itemAt } from '@quipu/core/values'
import { worldCodes } from '../../access/world-code.ts'
import { DurableWorld, type WorldName } from '../durable.ts'
import type { DurableStorage } from '../durable-storage.ts'

/**
 * The storage of a new durable world, with a code of its own. `refused` returns codes that it cannot have. `failed` gets
 * a world whose code may be reserved.
 */
export async function newDurable(
  storage: DurableStorage,
  name: WorldName,
  refused: () => Promise<ReadonlySet<string>>,
  failed: (durable: DurableWorld) => void = () => undefined,
): Promise<DurableWorld> {
  const failedCode = (code: string) => failed(DurableWorld.create(storage, name, code))
  const code = await reserveCode(storage, name.world, await refused(), failedCode)
  return DurableWorld.create(storage, name, code)
}

/** No world was created: all codes are in use, or another process has a world with this name. */
export class WorldNotCreated extends Error {
  readonly reason: 'worldCodesUsed' | 'worldNameTaken'
  readonly world: WorldId

  constructor(reason: WorldNotCreated['reason'], world: WorldId) {
    super(reason)
    this.name = 'WorldNotCreated'
    this.reason = reason
    this.world = world
  }
}

/** Reserves a random unused code. Another process may reserve the same one first. */
async function reserveCode(
  storage: DurableStorage,
  world: WorldId,
  refused: ReadonlySet<string>,
  failed: (code: string) => void,
) {
  for (;;) {
    const used = await storage.usedCodes()
    const unused = worldCodes.filter((code) => !used.has(code) && !refused.has(code))
    if (unused.length === 0) throw new WorldNotCreated('worldCodesUsed', world)
    const code = itemAt(unused, randomInt(unused.length))
    const result = await storage.reserveCode(world, code).catch((error) => {
      failed(code)
      throw error
    })
    if (result === 'reserved') return code
    if (result === 'worldNameTaken') throw new WorldNotCreated(result, world)
  }
}
