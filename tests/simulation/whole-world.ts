import { Random } from '../random.ts'
import { OwnLoop } from './faults/event-loop.ts'
import { FileStore } from './faults/file-store.ts'
import type { Note } from './faults/store.ts'
import { PostgresStore } from './postgres/store.ts'
import { Run } from './run.ts'
import { Door } from './workload/api.ts'

/** Turns of the event loop in which any step is over, whatever goes wrong in it. */
const STEP_TURNS = 400_000

export type Counts = Record<string, number>

const stores = { files: FileStore, postgres: PostgresStore }
/** What `npm test` is to run again. */
const specs = { files: 'whole-world', postgres: 'world-on-postgres' }

/** Where a life keeps its journal. */
export type Kind = keyof typeof stores

export type Life = {
  readonly seed: string
  readonly steps: number
  readonly kind: Kind
  /** Gets everything that happens, in order. */
  readonly note?: Note
}

/**
 * One life of a whole world on a store that fails it, by a seed. Throws with seed and step where a promise is
 * broken.
 */
export async function simulate({ seed, steps, kind, note = () => undefined }: Life): Promise<Counts> {
  const door = await Door.open()
  const loop = new OwnLoop()
  const random = new Random(seed)
  const run = new Run({ random, seed, store: new stores[kind](random, note), door, note })
  let step = 0
  try {
    await loop.within(STEP_TURNS, run.begin())
    for (step = 1; step <= steps; step++) note(`step ${step}: ${await loop.within(STEP_TURNS, run.step())}`)
    return await loop.within(STEP_TURNS, run.end())
  } catch (error) {
    const again = `SEED=${seed} STEP=${step} npm test -- ${specs[kind]}`
    throw new Error(`${again}: ${error instanceof Error ? error.message : error}`, { cause: error })
  } finally {
    run.leave()
    loop.end()
  }
}
