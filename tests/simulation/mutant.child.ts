import { registerHooks } from 'node:module'
import { mutations } from './mutations.ts'

/**
 * Breaks one line of the program on its way from the disk, then lives lives in it until a promise is broken. Says
 * in one line which life that was and what was found, or that nothing was.
 */
const [name, seed, first, last, steps] = process.argv.slice(2)
const { file, from, to, kind = 'files' } = mutations.find((mutation) => mutation.name === name)!

let changed = 0
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(file)) return loaded
    const source = String(loaded.source)
    if (source.split(from).length !== 2) throw new Error(`${file} has not once: ${from}`)
    changed += 1
    return { ...loaded, source: source.replace(from, () => to) }
  },
})

const live = await lives()
if (changed !== 1) throw new Error(`${file} was loaded ${changed} times`)
type Hunted = { readonly life: number; readonly caught?: string }
let life = Number(first)
// What is noticed while a group is told of belongs to nobody who waits.
process.on('uncaughtException', (error) => tell({ life, caught: error.message }))
tell(await hunt())

/** What is lived: a whole world, or one that is all about tokens. */
async function lives(): Promise<(seed: string) => Promise<unknown>> {
  const long = Number(steps)
  if (kind === 'tokens') {
    const { simulate } = await import('./token-runs.ts')
    return (of) => simulate({ seed: of, steps: long })
  }
  const { simulate } = await import('./whole-world.ts')
  return (of) => simulate({ seed: of, steps: long, kind })
}

/** What is left of a broken world may wait for ever. */
function tell(hunted: Hunted): never {
  console.log(JSON.stringify(hunted))
  process.exit()
}

async function hunt(): Promise<Hunted> {
  for (; life <= Number(last); life++)
    try {
      await live(`${seed}-${life}`)
    } catch (error) {
      return { life, caught: (error as Error).message }
    }
  return { life }
}
