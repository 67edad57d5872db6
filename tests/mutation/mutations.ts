import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../support/random.ts'

/** A change of one line of code that a test should detect. */
export type Mutation = {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly before: string
  readonly after: string
}

/** Replacements inside one line of code. */
const changes: readonly (readonly [RegExp, string])[] = [
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < (?=[\w.(#-])/g, ' <= '],
  [/ > (?=[\w.(#-])/g, ' >= '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \+= /g, ' -= '],
  [/ -= /g, ' += '],
  [/'up'/g, "'down'"],
  [/'down'/g, "'up'"],
  [/Math\.max\(/g, 'Math.min('],
  [/Math\.min\(/g, 'Math.max('],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/if \(!/g, 'if ('],
  [/(?<=[ (,])0n\b/g, '1n'],
  [/(?<=[ (,])1n\b/g, '0n'],
]

/** A line that is only a call; the mutation removes it. */
const CALL = /^\s+(?:await |void )?(?:this[.#\w]*|[\w.#?]+)\((?:[^{}]*)\)$/

/** Product code of the core and the server: no tests, no tables of data, no types. */
export function sources(root: string): readonly string[] {
  return globSync(['core/src/**/*.ts', '{broker,server,cli}/src/**/*.ts'], { cwd: root })
    .filter(
      (file) => !/(\.spec|\.child|\.table|-suite|testing|test-\w+|story[\w-]*)\.ts$|\/testing\//.test(file),
    )
    .sort()
}

/** Picks random mutations of the code; the seed decides which. */
export function pickMutations(root: string, seed: string, count: number): readonly Mutation[] {
  const random = new Random(seed, 'mutations')
  const files = sources(root).map((file) => [file, mutationsOf(root, file)] as const)
  const all = files.flatMap(([, found]) => found)
  const picked = new Set<Mutation>()
  while (picked.size < Math.min(count, all.length)) picked.add(random.pick(all)!)
  return [...picked]
}

function mutationsOf(root: string, file: string): readonly Mutation[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((text, index) =>
    variantsOf(text).map((after) => ({ file, line: index + 1, before: text, after })),
  )
}

function variantsOf(line: string): readonly string[] {
  if (
    /^\s*(\/\/|\/?\*|import |export \*|export type|type |readonly |\| )/.test(line) ||
    /(throw|log\.|warn\()/.test(line)
  )
    return []
  const replaced = changes.flatMap(([from, to]) =>
    [...line.matchAll(from)].map(
      ({ index, 0: { length } }) => line.slice(0, index) + to + line.slice(index + length),
    ),
  )
  return CALL.test(line) ? [...replaced, ''] : replaced
}
