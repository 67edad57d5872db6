import { Random } from '../support/random.ts'
import { SimulatedLoop } from './faults/event-loop.ts'
import { FileStore } from './faults/file-store.ts'
import type { Note } from './faults/store.ts'
import { PostgresStore } from './postgres/store.ts'
import { Run } from './run.ts'
import { roughSetups, type Setup, setups } from './setups.ts'
import { SimulatedApi } from './workload/api.ts'

/** Turns of the event loop in which every step must end, with any fault. */
const STEP_TURNS = 400_000

export type Counts = Record<string, number>

const stores = { files: FileStore, postgres: PostgresStore }
/** The spec name for `npm test` to repeat a run. */
const specs = { files: 'whole-world', postgres: 'world-on-postgres' }

/** The store of a run. */
export type Kind = keyof typeof stores

export type RunOptions = {
  readonly seed: string
  readonly steps: number
  readonly kind: Kind
  /** The setups to pick from. Default: all. */
  readonly from?: readonly Setup[]
  /** Without faults, and with requests one at a time. */
  readonly isQuiet?: boolean
  /** Receives every line of the trace. */
  readonly note?: Note
}

/**
 * Runs a whole world on a faulty store. The seed decides everything. Throws with seed and step when a check fails.
 */
export async function simulate({
  seed,
  steps,
  kind,
  from = [...setups, ...roughSetups],
  isQuiet = false,
  note = () => undefined,
}: RunOptions): Promise<Counts> {
  const api = await SimulatedApi.open()
  const loop = new SimulatedLoop()
  const random = new Random(seed)
  const store = new stores[kind](random, note)
  const run = new Run({ random, seed, store, api, note, setups: from, isQuiet })
  let step = 0
  try {
    await loop.within(STEP_TURNS, run.begin())
    for (step = 1; step <= steps; step++) note(`step ${step}: ${await loop.within(STEP_TURNS, run.step())}`)
    return await loop.within(STEP_TURNS, run.end())
  } catch (error) {
    const again = `SEED=${seed} STEP=${step} npm test -- ${specs[kind]}`
    throw new Error(`${again}: ${error instanceof Error ? error.message : error}`, { cause: error })
  } finally {
    run.close()
    loop.end()
  }
}
