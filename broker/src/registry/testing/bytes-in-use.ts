import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { World } from '../../world/world.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const RELEASED_MAX_MS = 20_000

/** Bytes in use after garbage collection. */
export async function bytesInUse(): Promise<number> {
  await sleep(50)
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

/**
 * The same once nothing references the world. Scheduled callbacks, and functions that V8 compiles in the background, may
 * reference objects of a closed world for as long as other programs keep the processor.
 */
export async function bytesWithout(world: WeakRef<World>): Promise<number> {
  for (const startMs = performance.now(); performance.now() - startMs < RELEASED_MAX_MS; ) {
    const bytes = await bytesInUse()
    if (world.deref() === undefined) return bytes
  }
  return assert.fail('a reference to the deleted world remains')
}
