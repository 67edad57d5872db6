import { registerHooks } from 'node:module'
import type { Mutation } from './mutations.ts'

/** Changes one line of the program while it is loaded. */
export function mutate({ file, from, to }: Pick<Mutation, 'file' | 'from' | 'to'>) {
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
