import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { clusterMutations } from './cluster/mutations.ts'
import { type Mutation, mutations } from './mutations.ts'

/**
 * Changes one line of the program while it is loaded, then runs the spec that must detect it, or simulations until a
 * check fails. Prints the number of that run and the error, or only the number of runs, as one line of JSON.
 */
const [name, seed, first, last, steps] = process.argv.slice(2)
const mutation = [...mutations, ...clusterMutations].find((one) => one.name === name)!
const { faults, kind = 'files' } = mutation
const changed = mutate(mutation)

type Result = { readonly run: number; readonly caught?: string }
let run = Number(first)
if (mutation.spec === undefined) await runSimulations()
else await import(join(import.meta.dirname, '..', '..', mutation.spec))
changed.assertOnce()

async function runSimulations(): Promise<never> {
  const simulateOne = await loadSimulation()
  changed.assertOnce()
  // An error while events are published has no caller that waits for it.
  process.on('uncaughtException', (error) => report({ run, caught: error.message }))
  return report(await findError(simulateOne))
}

/** The simulation of a whole world, of tokens or of a cluster. */
async function loadSimulation(): Promise<(seed: string) => Promise<unknown>> {
  const stepCount = Number(steps)
  if (kind === 'tokens') {
    const { simulate } = await import('./token-runs.ts')
    return (runSeed) => simulate({ seed: runSeed, steps: stepCount })
  }
  if (kind === 'cluster') {
    const { simulateCluster } = await import('./cluster/run.ts')
    return (runSeed) =>
      simulateCluster({ seed: runSeed, steps: stepCount, ...(faults ? { from: faults } : {}) })
  }
  const { simulate } = await import('./whole-world.ts')
  // The numbers of the runs that detect a mutation depend on the list of setups.
  const { setups } = await import('./setups.ts')
  return (runSeed) => simulate({ seed: runSeed, steps: stepCount, kind, from: setups })
}

/** Exits at once, because a broken world may wait forever. */
function report(result: Result): never {
  console.log(JSON.stringify(result))
  process.exit()
}

async function findError(simulateOne: (seed: string) => Promise<unknown>): Promise<Result> {
  for (; run <= Number(last); run++)
    try {
      await simulateOne(`${seed}-${run}`)
    } catch (error) {
      return { run, caught: (error as Error).message }
    }
  return { run }
}

/** Changes one line of the program while it is loaded. */
function mutate({ file, from, to }: Pick<Mutation, 'file' | 'from' | 'to'>) {
  let changed = 0
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith(file)) return loaded
      const source = String(loaded.source)
      if (source.split(from).length !== 2)
        throw new Error(`${file} must have this text exactly once: ${from}`)
      changed += 1
      return { ...loaded, source: source.replace(from, () => to) }
    },
  })
  return {
    assertOnce(): void {
      if (changed !== 1) throw new Error(`${file} was loaded ${changed} times`)
    },
  }
}
