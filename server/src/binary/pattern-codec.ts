import type { Codec } from './codec.ts'
import { UnreadableRecord } from './reader.ts'

/** Accounts of the ledger repeat, and taking their names apart is slow. */
const KEPT_MAX = 10_000

type Parts = { readonly index: number; readonly id?: string }

/** The index of the pattern, and the id in place of `*`. */
export function patternCodec(patterns: readonly string[]): Codec<string> {
  const affixes = patterns.map((each) => each.split('*') as [string, string?])
  const parts = new Map<string, Parts>()
  const texts = patterns.map(() => new Map<string, string>())
  return {
    write: (writer, text) => {
      const { index, id } = kept(parts, text, () => partsOf(affixes, text))
      writer.byte(index)
      if (id !== undefined) writer.id(id)
    },
    read: (reader) => {
      const index = reader.byte()
      const [prefix, suffix] = affixes[index] ?? unknown(index)
      if (suffix === undefined) return prefix
      const id = reader.id()
      return kept(texts[index]!, id, () => prefix + id + suffix)
    },
  }
}

function partsOf(affixes: readonly [string, string?][], text: string): Parts {
  for (const [index, [prefix, suffix]] of affixes.entries()) {
    if (suffix === undefined && text === prefix) return { index }
    if (suffix !== undefined && text.startsWith(prefix) && text.endsWith(suffix))
      return { index, id: text.slice(prefix.length, text.length - suffix.length) }
  }
  throw new Error(`bug: ${text} has none of the declared forms`)
}

function kept<Value>(cache: Map<string, Value>, key: string, make: () => Value): Value {
  let value = cache.get(key)
  if (value === undefined) {
    if (cache.size >= KEPT_MAX) cache.clear()
    cache.set(key, (value = make()))
  }
  return value
}

function unknown(index: number): never {
  throw new UnreadableRecord(`unknown pattern ${index}`)
}
